// The candidates of min_max: smallest and largest values.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::min_max {
namespace {

using namespace reduction;

constexpr auto kWhole = rows<Asked::min_max>(Exactness::bitwise, {.aten = {1, 0}});
constexpr auto kChannels = rows<Asked::min_max>(Exactness::bitwise, {.aten = {6, 0}});
constexpr auto kItems = rows<Asked::min_max>(Exactness::bitwise, {.aten = {2, 0}});

constexpr Variant kVariants[] = {
    {"min_max/global", kRangeDtypes, kWhole},
    {"min_max/per_channel", kRangeDtypes, kChannels},
    {"min_max/per_item", kRangeDtypes, kItems},
    {"min_max/axes", kRangeDtypes, kItems, kAxesKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"min_max", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::min_max
