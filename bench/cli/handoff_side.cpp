#include "bench/cli/handoff_side.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "evidence/statistics.hpp"
#include "tablegen/profile_set.hpp"
#include "tablegen/stability.hpp"

namespace switchyard::cli {
namespace {

evidence::Profile only(const evidence::Profile &profile,
                       const std::vector<measure::Entry> &entries) {
  evidence::Profile chosen{profile.machine, {}};
  for (const measure::Entry &entry : entries) {
    const auto found = profile.variants.find(std::string(entry.variant->name));
    if (found != profile.variants.end()) {
      chosen.variants.insert(*found);
    }
  }
  return chosen;
}

} // namespace

double RoutedCell::median_ns() const {
  return evidence::median(row().samples_ns);
}

HandoffSide::HandoffSide(const tablegen::Tuning &tuning, const tablegen::CandidateSet &build,
                         const std::vector<measure::Entry> &entries)
    : profile_(only(tuning.profile, entries)),
      set_(tablegen::set_of_profile(build, profile_, notes_)) {
  for (tablegen::ClassData &data : tablegen::gather(profile_, set_, notes_)) {
    traces_.push_back(tablegen::trace_class(std::move(data), tuning.incumbents));
  }
  for (const tablegen::ClassTrace &trace : traces_) {
    add_cells(trace);
  }
}

void HandoffSide::add_cells(const tablegen::ClassTrace &trace) {
  const auto &points = trace.data.points;
  for (std::size_t choice = 0; choice < trace.choices.size(); ++choice) {
    const tablegen::Segment &segment = trace.choices[choice].segment;
    for (std::size_t p = segment.first; p < segment.last; ++p) {
      for (const tablegen::CellRows &cell : points[p].cells) {
        const std::size_t route = tablegen::routed(trace.plan, points[p].size, trace.data, cell);
        if (route != tablegen::kNone) {
          index_.emplace(std::pair(trace.data.key.variant, cell.key), cells_.size());
          cells_.push_back({&trace, &cell, points[p].size, route, choice});
        }
      }
    }
  }
}

const RoutedCell *HandoffSide::find(const std::string &variant, const std::string &cell) const {
  const auto found = index_.find({variant, cell});
  return found == index_.end() ? nullptr : &cells_[found->second];
}

const Candidate *find_candidate(const std::string &variant, const std::string &id) {
  const Variant *known = candidates::find_variant(variant);
  if (known == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(known->candidates.begin(), known->candidates.end(),
                                  [&](const Candidate &each) { return each.id == id; });
  return found == known->candidates.end() ? nullptr : &*found;
}

} // namespace switchyard::cli
