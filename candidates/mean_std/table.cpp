// The candidates of mean_std: means and population deviations as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::mean_std {
namespace {

using namespace reduction;

constexpr auto kCandidates = rows<Asked::mean_std>(Exactness::faithful, {{65, 24}, {17, 6}});

constexpr Variant kVariants[] = {
    {"mean_std/global", kMomentDtypes, kCandidates},
    {"mean_std/per_channel", kMomentDtypes, kCandidates},
    {"mean_std/per_item", kMomentDtypes, kCandidates},
    {"mean_std/axes", kMomentDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"mean_std", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::mean_std
