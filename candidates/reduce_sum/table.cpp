// The candidates of reduce_sum: sums: u64 of u8, f64 of f32.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::reduce_sum {
namespace {

using namespace reduction;

constexpr auto kCandidates = rows<Asked::sum>(Exactness::bitwise, {{17, 16}, {5, 4}});

constexpr Variant kVariants[] = {
    {"reduce_sum/global", kSumDtypes, kCandidates},
    {"reduce_sum/per_channel", kSumDtypes, kCandidates},
    {"reduce_sum/per_item", kSumDtypes, kCandidates},
    {"reduce_sum/axes", kSumDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"reduce_sum", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::reduce_sum
