// The candidates of mean: means as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::mean {
namespace {

using namespace reduction;

constexpr auto kWhole = rows<Asked::mean>(Exactness::bitwise, {.aten = {{9, 8}, {3, 2}}});
constexpr auto kChannels = rows<Asked::mean>(Exactness::bitwise, {.aten = {{25, 8}, {7, 2}}});

constexpr Variant kVariants[] = {
    {"mean/global", kMomentDtypes, kWhole},
    {"mean/per_channel", kMomentDtypes, kChannels},
    {"mean/per_item", kMomentDtypes, kWhole},
    {"mean/axes", kMomentDtypes, kWhole, kAxesKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"mean", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::mean
