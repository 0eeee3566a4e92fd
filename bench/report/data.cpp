#include "bench/report/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/keys.hpp"
#include "evidence/cache_states.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/classes.hpp"
#include "tablegen/races.hpp"

namespace switchyard::report {
namespace {

using evidence::Cell;
using evidence::Interval;
using evidence::Row;
using evidence::Status;
using tablegen::Alternative;
using tablegen::CellRows;
using tablegen::kNone;
using Json = nlohmann::ordered_json;

// Four digits, and none of the zeros that JSON would give a double; null for what has no value.
Json number(double value) {
  if (!std::isfinite(value)) {
    return nullptr;
  }
  const double rounded = evidence::round_to_four_digits(value);
  constexpr double kExact = 1e15;
  if (std::abs(rounded) < kExact && rounded == std::trunc(rounded)) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

void push(Json &list, const std::optional<Interval> &interval) {
  const bool sure = interval && std::isfinite(interval->high);
  list.push_back(interval ? number(interval->estimate) : Json());
  list.push_back(sure ? number(interval->low) : Json());
  list.push_back(sure ? number(interval->high) : Json());
}

// The median time with the order statistics that a sign test leaves.
Interval time_of(const Row &row) {
  std::vector<double> sorted = row.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  Interval time{evidence::median(sorted), 0, HUGE_VAL};
  constexpr double kAlpha = 0.05;
  if (const std::size_t rank = evidence::interval_rank(sorted.size(), kAlpha); rank > 0) {
    time.low = sorted[rank - 1];
    time.high = sorted[sorted.size() - rank];
  }
  return time;
}

std::string shape_text(const Cell &cell) {
  std::string text;
  for (const std::int64_t extent : cell.shape) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

std::vector<std::string> key_texts(const Cell &cell) {
  std::vector<std::string> texts;
  for (const Key &key : kKeys) {
    texts.push_back(key.of_cell(cell));
  }
  return texts;
}

// A cell with one lane per alternative, the twins' behind those of the candidates.
struct CellLanes {
  CellRows rows;
  std::size_t candidates = 0; // lanes of these; the rest are twins

  [[nodiscard]] const Row &newest(std::size_t lane) const { return rows.lanes[lane].newest(); }
  [[nodiscard]] double median(std::size_t lane) const {
    return evidence::median(newest(lane).samples_ns);
  }
  // The lane of the least median among [first, last) that `eligible` accepts; kNone without any.
  [[nodiscard]] std::size_t least(std::size_t first, std::size_t last,
                                  const std::function<bool(const Row &)> &eligible) const {
    std::size_t best = kNone;
    for (std::size_t lane = first; lane < last; ++lane) {
      if (eligible(newest(lane)) && (best == kNone || median(lane) < median(best))) {
        best = lane;
      }
    }
    return best;
  }
};

// Rows of a cell by alternative, the newest race first.
using ByAlternative = std::map<Alternative, std::map<int, const Row *, std::greater<>>>;

void add_lanes(CellLanes &lanes, const ByAlternative &rows) {
  for (const auto &[alternative, races] : rows) {
    tablegen::Lane lane;
    for (const auto &[race, row] : races) {
      lane.rows.push_back(row);
    }
    lanes.rows.lanes.push_back(std::move(lane));
  }
}

CellLanes lanes_of(const std::vector<const Row *> &rows) {
  ByAlternative candidates;
  ByAlternative twins;
  for (const Row *row : rows) {
    ByAlternative &group = row->status == Status::limit ? twins : candidates;
    group[{row->candidate, row->threads}][row->race] = row;
  }
  CellLanes lanes;
  add_lanes(lanes, candidates);
  lanes.candidates = lanes.rows.lanes.size();
  add_lanes(lanes, twins);
  return lanes;
}

// The variant's part of the document.
class VariantData {
public:
  VariantData(const evidence::VariantEvidence &file, const tablegen::VariantInfo *info)
      : file_(file), info_(info) {
    for (const Row &row : file.rows) {
      add(row);
    }
  }

  [[nodiscard]] Json json(const tablegen::Plan &plan) {
    Json series = Json::array();
    for (const auto &[keys, cells] : series_) {
      Json list = Json::array();
      for (const auto &[place, rows] : cells) {
        list.push_back(cell_json(rows));
      }
      series.push_back({{"keys", keys}, {"cells", std::move(list)}});
    }
    Json classes = classes_json(plan);
    Json disagreements = disagreements_json();
    Json refused = refused_json();
    return {{"op", file_.variant.substr(0, file_.variant.find('/'))},
            {"name", file_.variant},
            {"alternatives", alternatives_json()},
            {"series", std::move(series)},
            {"classes", std::move(classes)},
            {"disagreements", std::move(disagreements)},
            {"refused", std::move(refused)}};
  }

private:
  // By elements and shape.
  using Cells = std::map<std::pair<std::int64_t, std::string>, std::vector<const Row *>>;

  [[nodiscard]] bool current(const Row &row) const {
    const tablegen::CandidateInfo *candidate =
        info_ == nullptr ? nullptr : info_->find(row.candidate);
    return candidate == nullptr || candidate->version == row.version;
  }

  void add(const Row &row) {
    const bool timed = row.status == Status::accepted || row.status == Status::dropped ||
                       row.status == Status::limit;
    if (!current(row)) {
      return;
    }
    if (timed && !row.samples_ns.empty()) {
      series_[key_texts(row.cell)][{row.cell.elements(), shape_text(row.cell)}].push_back(&row);
    } else if (!timed) {
      refused_[{row.cell.key(), row.candidate, std::to_string(row.threads)}] = &row;
    }
  }

  std::size_t index_of(const Alternative &alternative) {
    const auto found = std::find(alternatives_.begin(), alternatives_.end(), alternative);
    if (found != alternatives_.end()) {
      return static_cast<std::size_t>(found - alternatives_.begin());
    }
    alternatives_.push_back(alternative);
    return alternatives_.size() - 1;
  }

  std::size_t index_of(const Row &row) { return index_of({row.candidate, row.threads}); }

  Json row_json(const CellLanes &cell, std::size_t lane, std::size_t best) {
    const Row &row = cell.newest(lane);
    Json columns = {index_of(row), row.status == Status::dropped ? 1 : 0};
    push(columns, time_of(row));
    push(columns, best == kNone ? std::nullopt : tablegen::compare(cell.rows, lane, best));
    if (row.allocations) {
      columns.insert(columns.end(),
                     {row.allocations->count, row.allocations->bytes, row.allocations->peak});
    }
    return columns;
  }

  // The fastest twin of every number of threads.
  static Json twins_json(const CellLanes &cell) {
    std::map<int, std::size_t> fastest;
    for (std::size_t lane = cell.candidates; lane < cell.rows.lanes.size(); ++lane) {
      const auto [place, first] = fastest.try_emplace(cell.newest(lane).threads, lane);
      if (!first && cell.median(lane) < cell.median(place->second)) {
        place->second = lane;
      }
    }
    Json twins = Json::array();
    for (const auto &[threads, lane] : fastest) {
      Json twin = {cell.newest(lane).candidate, threads};
      push(twin, time_of(cell.newest(lane)));
      twins.push_back(std::move(twin));
    }
    return twins;
  }

  static Json distance_json(const CellLanes &cell, std::size_t best) {
    const int threads = cell.newest(best).threads;
    const std::size_t twin = cell.least(cell.candidates, cell.rows.lanes.size(),
                                        [&](const Row &row) { return row.threads == threads; });
    const auto ratio = twin == kNone ? std::nullopt : tablegen::compare(cell.rows, best, twin);
    if (!ratio) {
      return nullptr;
    }
    Json distance = Json::array();
    push(distance, ratio);
    return distance;
  }

  Json cell_json(const std::vector<const Row *> &measured) {
    const CellLanes cell = lanes_of(measured);
    const std::size_t best = cell.least(
        0, cell.candidates, [](const Row &row) { return row.status == Status::accepted; });
    Json rows = Json::array();
    for (std::size_t lane = 0; lane < cell.candidates; ++lane) {
      rows.push_back(row_json(cell, lane, best));
    }
    return {{"shape", shape_text(measured.front()->cell)},
            {"elements", measured.front()->cell.elements()},
            {"best", best == kNone ? Json() : Json(index_of(cell.newest(best)))},
            {"distance", best == kNone ? Json() : distance_json(cell, best)},
            {"twins", twins_json(cell)},
            {"rows", std::move(rows)}};
  }

  Json route_json(const tablegen::Region &region) {
    Json route = {region.from, region.to == kUnbounded ? Json() : Json(region.to),
                  index_of(region.ranking.front()),
                  region.runner_up ? Json(index_of(*region.runner_up)) : Json()};
    // The policy's margin without a proof is [−1, HUGE_VAL].
    push(route, region.margin);
    return route;
  }

  Json classes_json(const tablegen::Plan &plan) {
    Json classes = Json::array();
    for (const tablegen::ClassPlan &each : plan.classes) {
      if (each.key.variant != file_.variant) {
        continue;
      }
      Json keys = Json::array();
      for (const Key &key : kKeys) {
        keys.push_back(key.of_class == nullptr ? Json() : Json(key.of_class(each.key)));
      }
      Json routes = Json::array();
      for (const tablegen::Region &region : each.regions) {
        routes.push_back(route_json(region));
      }
      classes.push_back({{"keys", std::move(keys)}, {"routes", std::move(routes)}});
    }
    return classes;
  }

  Json disagreements_json() {
    std::vector<std::pair<std::string, Json>> sorted;
    for (const evidence::Disagreement &each : evidence::disagreements(file_)) {
      Json item = {{"keys", key_texts(each.first.cell)},
                   {"shape", shape_text(each.first.cell)},
                   {"states", {each.first.cell.cache, each.second.cell.cache}},
                   {"winners", {index_of(each.first), index_of(each.second)}},
                   {"losses", {number(each.second_in_first), number(each.first_in_second)}}};
      sorted.emplace_back(each.first.cell.key() + each.second.cell.key(), std::move(item));
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    Json list = Json::array();
    for (auto &[key, item] : sorted) {
      list.push_back(std::move(item));
    }
    return list;
  }

  Json refused_json() {
    Json list = Json::array();
    for (const auto &[place, row] : refused_) {
      list.push_back({{"keys", key_texts(row->cell)},
                      {"shape", shape_text(row->cell)},
                      {"alternative", index_of(*row)},
                      {"status", row->status == Status::rejected ? "rejected" : "impossible"},
                      {"reason", row->mismatch}});
    }
    return list;
  }

  [[nodiscard]] Json alternatives_json() const {
    Json list = Json::array();
    for (const Alternative &alternative : alternatives_) {
      list.push_back({alternative.candidate, alternative.threads});
    }
    return list;
  }

  const evidence::VariantEvidence &file_;
  const tablegen::VariantInfo *info_;
  std::vector<Alternative> alternatives_; // in the order in which the document names them first
  std::map<std::vector<std::string>, Cells> series_;
  std::map<std::vector<std::string>, const Row *> refused_;
};

// The backend of every candidate, those of the set; of others, their own ids.
Json backends_of(const evidence::Profile &profile, const tablegen::CandidateSet &set) {
  std::map<std::string, std::string> backends;
  for (const auto &[name, file] : profile.variants) {
    const tablegen::VariantInfo *info = set.find(name);
    for (const Row &row : file.rows) {
      const tablegen::CandidateInfo *candidate =
          info == nullptr ? nullptr : info->find(row.candidate);
      if (row.status != Status::limit) {
        backends[row.candidate] = candidate == nullptr ? row.candidate : candidate->backend;
      }
    }
  }
  return backends;
}

} // namespace

Json data_of(const evidence::Profile &profile, const tablegen::CandidateSet &set,
             const tablegen::Plan &plan) {
  Json keys = Json::array();
  for (const Key &key : kKeys) {
    keys.push_back(key.name);
  }
  Json variants = Json::array();
  for (const auto &[name, file] : profile.variants) {
    variants.push_back(VariantData(file, set.find(name)).json(plan));
  }
  return {{"schema", 1},
          {"profile", profile.machine.profile},
          {"machine", profile.machine.facts},
          {"candidate_set", tablegen::hash_of(set)},
          {"tie_band", tablegen::kTieBand},
          {"warnings", plan.warnings},
          {"keys", std::move(keys)},
          {"backends", backends_of(profile, set)},
          {"variants", std::move(variants)}};
}

} // namespace switchyard::report
