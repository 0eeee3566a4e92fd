// The candidates of std: population deviations as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::standard_deviation {
namespace {

using namespace reduction;

constexpr auto kCandidates = rows<Asked::std>(Exactness::faithful, {{65, 24}, {17, 6}});

constexpr Variant kVariants[] = {
    {"std/global", kMomentDtypes, kCandidates},
    {"std/per_channel", kMomentDtypes, kCandidates},
    {"std/per_item", kMomentDtypes, kCandidates},
    {"std/axes", kMomentDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"std", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::standard_deviation
