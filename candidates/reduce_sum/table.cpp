// The candidates of reduce_sum: sums: u64 of u8, f64 of f32.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::reduce_sum {
namespace {

using namespace reduction;

constexpr auto kWhole = rows<Asked::sum>(Exactness::bitwise, {.aten = {{9, 8}, {3, 2}}});
constexpr auto kChannels = rows<Asked::sum>(Exactness::bitwise, {.aten = {{25, 8}, {7, 2}}});

constexpr Variant kVariants[] = {
    {"reduce_sum/global", kSumDtypes, kWhole},
    {"reduce_sum/per_channel", kSumDtypes, kChannels},
    {"reduce_sum/per_item", kSumDtypes, kWhole},
    {"reduce_sum/axes", kSumDtypes, kWhole, kAxesKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"reduce_sum", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::reduce_sum
