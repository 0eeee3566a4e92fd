// The candidates of mean_std: means and population deviations as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::mean_std {
namespace {

using namespace reduction;

constexpr auto kWhole = rows<Asked::mean_std>(Exactness::faithful, {.aten = {{33, 24}, {9, 6}}});
constexpr auto kChannels =
    rows<Asked::mean_std>(Exactness::faithful, {.aten = {{65, 24}, {17, 6}}});

constexpr Variant kVariants[] = {
    {"mean_std/global", kMomentDtypes, kWhole},
    {"mean_std/per_channel", kMomentDtypes, kChannels},
    {"mean_std/per_item", kMomentDtypes, kWhole},
    {"mean_std/axes", kMomentDtypes, kWhole, kAxesKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"mean_std", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::mean_std
