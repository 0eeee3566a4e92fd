// The candidates of std: population deviations as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::standard_deviation {
namespace {

using namespace reduction;

constexpr auto kWhole = rows<Asked::std>(Exactness::faithful, {.aten = {{33, 24}, {9, 6}}});
constexpr auto kChannels = rows<Asked::std>(Exactness::faithful, {.aten = {{65, 24}, {17, 6}}});

constexpr Variant kVariants[] = {
    {"std/global", kMomentDtypes, kWhole},
    {"std/per_channel", kMomentDtypes, kChannels},
    {"std/per_item", kMomentDtypes, kWhole},
    {"std/axes", kMomentDtypes, kWhole, kAxesKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"std", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::standard_deviation
