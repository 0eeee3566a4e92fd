#include "bench/cli/against.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "bench/against/build.hpp"
#include "bench/against/comparison.hpp"
#include "bench/against/load.hpp"
#include "bench/against/pairs.hpp"
#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"

namespace switchyard::cli {
namespace {

using namespace against;

const OpTable &op_of(const measure::Entry &entry) {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      if (&variant == entry.variant) {
        return *op;
      }
    }
  }
  throw std::logic_error(std::string(entry.variant->name) + " belongs to no op");
}

// Leaves out the variants whose parameters the revision lays out in its own way.
std::vector<measure::Entry> comparable(const std::vector<measure::Entry> &entries,
                                       const Revision &revision, std::vector<std::string> &notes) {
  std::vector<std::string> ops;
  ops.reserve(entries.size());
  for (const measure::Entry &entry : entries) {
    ops.emplace_back(op_of(entry).name);
  }
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  const std::vector<std::string> other = ops_of_other_params(this_build().source, revision, ops);
  for (const std::string &op : other) {
    notes.push_back(fmt::format("{}: its parameters differ at {}", op, revision.name));
  }
  std::vector<measure::Entry> result;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(result),
               [&](const measure::Entry &entry) {
                 return std::find(other.begin(), other.end(), op_of(entry).name) == other.end();
               });
  return result;
}

std::string label_of(const Revision &revision) {
  constexpr std::size_t kLongest = 16;
  return revision.name.size() <= kLongest ? revision.name : revision.commit.substr(0, 12);
}

} // namespace

int run_against(const AgainstRequest &request, const std::vector<measure::Entry> &entries,
                measure::CampaignOptions options) {
  const Revision revision = resolve(this_build().source, request.revision);
  const std::filesystem::path scratch =
      request.scratch.empty() ? default_scratch() : std::filesystem::path(request.scratch);
  const std::filesystem::path file =
      build_module(this_build(), revision, scratch,
                   [](const std::string &line) { fmt::print(stderr, "{}\n", line); });
  const ModuleTable &table = load_module(file, revision.name);

  Report report;
  report.name = revision.name;
  report.commit = revision.commit;
  const Pairs pairs = pair_up(comparable(entries, revision, report.notes),
                              {table.candidates, table.count}, label_of(revision));
  race_pairs(pairs, options.measure);
  options.profile_folder.clear(); // nothing of this is evidence
  const measure::CampaignReport campaign = measure::run_campaign(pairs.entries(), options);

  report.comparisons = compare(pairs, campaign.measured);
  report.summaries = summarize(report.comparisons);
  report.broken = broken_in(pairs, campaign.measured);
  for (const auto &notes : {pairs.notes, unmatched(pairs, campaign.measured), campaign.notes}) {
    report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  }
  report.interrupted = campaign.interrupted;
  fmt::print("{}", request.json ? to_json(report) : to_text(report));
  return report.good() && !report.interrupted ? kGood : kCheckFailed;
}

} // namespace switchyard::cli
