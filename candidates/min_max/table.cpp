// The candidates of min_max: smallest and largest values.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::min_max {
namespace {

using namespace reduction;

constexpr auto kCandidates = rows<Asked::min_max>(Exactness::bitwise, {2, 0});

constexpr Variant kVariants[] = {
    {"min_max/global", kRangeDtypes, kCandidates},
    {"min_max/per_channel", kRangeDtypes, kCandidates},
    {"min_max/per_item", kRangeDtypes, kCandidates},
    {"min_max/axes", kRangeDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"min_max", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::min_max
