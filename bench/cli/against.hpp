// switchyard bench --against REV.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/measure/campaign.hpp"

namespace switchyard::cli {

struct AgainstRequest {
  std::string revision;
  std::string scratch; // empty: the default
  bool json = false;
};

// Builds the revision, races its candidates of these entries beside this program's and prints what
// differs. `options` are those of a campaign; no evidence is written, and options.before_first_cell
// runs after the build. Returns the exit code.
[[nodiscard]] int run_against(const AgainstRequest &request,
                              const std::vector<measure::Entry> &entries,
                              measure::CampaignOptions options);

} // namespace switchyard::cli
