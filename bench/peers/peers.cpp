#include "bench/peers/peers.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bench/verify/spread.hpp"

namespace switchyard::peers {
namespace {

constexpr measure::MatrixPoint point(std::int64_t h, std::int64_t w, std::int64_t c,
                                     LayoutClass layout = LayoutClass::contiguous) {
  return {{1, h, w, c},
          3,
          layout,
          OutputMode::into,
          measure::CacheState::hot,
          measure::Budgets::one,
          false,
          measure::Priority::base};
}

constexpr measure::MatrixPoint kPoints[] = {
    point(480, 640, 3),
    point(24, 32, 3),
    point(1080, 1920, 3),
    point(128, 160, 3),
    point(480, 640, 1),
    point(240, 320, 4),
    point(240, 320, 9),
    point(480, 640, 3, LayoutClass::rows),
    point(480, 640, 1, LayoutClass::plane),
};

std::vector<measure::MatrixPoint> points_for(const measure::Entry &entry,
                                             const RunOptions &options) {
  if (!entry.contract->shapes.empty()) {
    return measure::points_of(*entry.contract, {Use::quick, Use::full});
  }
  return options.points;
}

// Of several parameter sets the first is measured at every point, the others at one: the shape of
// a problem matters more to a peer than its parameters.
std::vector<verify::CellGroup> thinned(std::vector<verify::CellGroup> groups) {
  for (verify::CellGroup &group : groups) {
    const std::string first = group.cells.front().params;
    std::map<std::string, std::size_t> seen;
    std::erase_if(group.cells, [&](const evidence::Cell &cell) {
      return cell.params != first && seen[cell.params]++ > 0;
    });
  }
  return groups;
}

std::vector<verify::CellGroup> groups_for(std::span<const measure::Entry> entries,
                                          const RunOptions &options) {
  constexpr int kOneThread = 1;
  return thinned(verify::groups_of(
      entries, [&](const measure::Entry &entry) { return points_for(entry, options); },
      std::span(&kOneThread, 1)));
}

class Run {
public:
  Run(std::span<const measure::Entry> entries, std::span<const Peer> peers,
      const RunOptions &options)
      : entries_(entries), peers_(peers), options_(options), groups_(groups_for(entries, options)) {
  }

  Comparison run() {
    for (const Peer &peer : peers_) {
      if (peer.one_thread != nullptr) {
        peer.one_thread();
      }
    }
    const verify::SpreadOptions spread{options_.budget_s, options_.cell.hooks.now, options_.stop,
                                       options_.progress};
    verify::Spread done = verify::spread(
        entries_, groups_, spread, [&](const verify::SpreadCell &turn) { return measure(turn); });
    for (auto &[place, outcome] : outcomes_) {
      result_.cells += 1;
      std::move(outcome.peers.begin(), outcome.peers.end(), std::back_inserter(result_.times));
    }
    note_missing();
    result_.skipped = done.skipped;
    result_.elapsed_s = done.elapsed_s;
    result_.interrupted = done.interrupted;
    result_.notes.insert(result_.notes.end(), done.notes.begin(), done.notes.end());
    return std::move(result_);
  }

private:
  verify::CellTime measure(const verify::SpreadCell &turn) {
    const measure::Entry &entry = entries_[turn.entry];
    const Public *routed = options_.find(entry.variant->name);
    if (routed == nullptr) {
      throw std::runtime_error("no public call is known");
    }
    CellOptions options = options_.cell;
    options.rules.stop = options_.stop;
    options.rules.deadline_ns = turn.deadline_ns;
    options.cell_budget_ns = turn.budget_ns;
    CellOutcome outcome = race_cell(entry, turn.cell, *routed, peers_, options_.foreign, options);
    note(entry, turn.cell, outcome);
    const verify::CellTime time{outcome.elapsed_ns,
                                verify::least_ns(outcome.elapsed_ns, outcome.race_ns,
                                                 outcome.rounds, options.rules.least_rounds),
                                outcome.complete};
    if (outcome.complete) {
      outcomes_.emplace(turn.place, std::move(outcome));
    }
    return time;
  }

  void note(const measure::Entry &entry, const evidence::Cell &cell, const CellOutcome &outcome) {
    const std::string where = fmt::format("{} {}", entry.variant->name, cell.key());
    if (!outcome.mismatch.empty()) {
      ++result_.mismatches;
      result_.notes.push_back(
          fmt::format("{}: the routed call is wrong: {}", where, outcome.mismatch));
    }
    for (const std::string &disagreement : outcome.notes) {
      result_.notes.push_back(fmt::format("{}: not compared: {}", where, disagreement));
    }
  }

  void note_missing() {
    std::size_t place = 0;
    for (const verify::CellGroup &group : groups_) {
      const auto from = outcomes_.lower_bound(place);
      place += group.cells.size();
      if (from == outcomes_.end() || from->first >= place) {
        result_.missing.push_back(
            fmt::format("{} {}", entries_[group.entry].variant->name, group.cells.front().dtype));
      }
    }
  }

  std::span<const measure::Entry> entries_;
  std::span<const Peer> peers_;
  const RunOptions &options_;
  std::vector<verify::CellGroup> groups_;
  std::map<std::size_t, CellOutcome> outcomes_; // by place
  Comparison result_;
};

} // namespace

std::span<const measure::MatrixPoint> peer_points() {
  return kPoints;
}

std::vector<std::string> Comparison::names() const {
  std::vector<std::string> names;
  for (const PeerTimes &cell : times) {
    if (std::find(names.begin(), names.end(), cell.peer) == names.end()) {
      names.push_back(cell.peer);
    }
  }
  return names;
}

std::vector<PeerTimes> Comparison::of(std::string_view peer) const {
  std::vector<PeerTimes> chosen;
  std::copy_if(times.begin(), times.end(), std::back_inserter(chosen),
               [&](const PeerTimes &cell) { return cell.peer == peer; });
  return chosen;
}

std::size_t cells_in(std::span<const measure::Entry> entries, const RunOptions &options) {
  std::size_t cells = 0;
  for (const verify::CellGroup &group : groups_for(entries, options)) {
    cells += group.cells.size();
  }
  return cells;
}

Comparison compare(std::span<const measure::Entry> entries, std::span<const Peer> peers,
                   const RunOptions &options) {
  return Run(entries, peers, options).run();
}

} // namespace switchyard::peers
