// A hand-off's record: both sides read, every section derived.
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/handoff_sections.hpp"
#include "bench/cli/profiles.hpp"
#include "bench/cli/tunings.hpp"
#include "bench/measure/campaign.hpp"
#include "candidates/registry.hpp"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;

// The repository of the current folder, else the folder that the build's evidence belongs to.
std::string root_of(const std::string &built) {
  std::error_code ignored;
  const std::string root = repository_root();
  return fs::is_directory(fs::path(root) / "docs", ignored)
             ? root
             : (fs::absolute(built) / "../..").lexically_normal().string();
}

class Reader {
public:
  explicit Reader(const HandoffRequest &request)
      : entries_(measure::select(fmt::format("{}", fmt::join(request.ops, ",")))),
        set_(tablegen::candidate_set(candidates::ops())) {
    const std::string own = built_profiles();
    const std::string folder = request.evidence.empty() ? own : request.evidence;
    const ProfileSource after{folder, profile_folders(folder), is_profile(folder), {}};
    after_ = read_tunings(after);
    record_.after = after.name;
    sources_.root = root_of(own);
    if (!request.against.empty()) {
      read_baseline(request, after.single);
    }
    for (const measure::Entry &entry : entries_) {
      record_.variants.emplace_back(entry.variant->name);
    }
  }

  HandoffRecord run() {
    for (const auto &[name, tuning] : after_) {
      add_pair(name, tuning);
    }
    if (pairs_.empty()) {
      throw std::runtime_error(
          fmt::format("{}: no evidence of {}", record_.after, fmt::join(record_.variants, ", ")));
    }
    for (const tablegen::ProfileDiff &diff : diffs_) {
      record_.regression = record_.regression || diff.regression();
    }
    record_.sections = {routes_section(pairs_),
                        work_section(pairs_),
                        candidates_section(pairs_, entries_),
                        ideas_section(pairs_, entries_),
                        in_place_section(pairs_, entries_),
                        matrix_section(pairs_),
                        correctness_section(pairs_),
                        regressions_section(diffs_, !record_.before.empty()),
                        rejected_section(pairs_, entries_, sources_),
                        moved_section(pairs_, entries_, sources_),
                        gaps_section(entries_, sources_),
                        compatibility_section(pairs_, entries_, sources_),
                        follow_ups_section(pairs_, entries_)};
    return std::move(record_);
  }

private:
  void read_baseline(const HandoffRequest &request, bool after_is_single) {
    const ProfileSource before = open_profiles(request.against, request.path);
    before_ = read_tunings(before);
    record_.before = before.name;
    sources_.repository = before.repository;
    sources_.commit = before.commit;
    if (before.single && after_is_single) { // whatever they are called
      auto tuning = before_.extract(before_.begin());
      tuning.key() = after_.begin()->first;
      before_.insert(std::move(tuning));
    }
  }

  void add_pair(const std::string &name, const tablegen::Tuning &tuning) {
    auto after = std::make_unique<HandoffSide>(tuning, set_, entries_);
    if (after->profile().variants.empty()) {
      return;
    }
    HandoffPair pair{nullptr, after.get()};
    sides_.push_back(std::move(after));
    const auto was = before_.find(name);
    if (was != before_.end()) {
      sides_.push_back(std::make_unique<HandoffSide>(was->second, set_, entries_));
      pair.before = sides_.back().get();
      diffs_.push_back(only(tablegen::diff_profiles(was->second, tuning, set_), entries_));
    } else if (!record_.before.empty()) {
      diffs_.push_back(only(tablegen::diff_added(tuning, set_), entries_));
    }
    pairs_.push_back(pair);
  }

  Entries entries_;
  tablegen::CandidateSet set_;
  Tunings before_;
  Tunings after_;
  HandoffSources sources_;
  std::vector<std::unique_ptr<HandoffSide>> sides_;
  HandoffPairs pairs_;
  std::vector<tablegen::ProfileDiff> diffs_;
  HandoffRecord record_;
};

} // namespace

HandoffRecord handoff_record(const HandoffRequest &request) {
  return Reader(request).run();
}

} // namespace switchyard::cli
