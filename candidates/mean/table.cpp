// The candidates of mean: means as f64.
#include "candidates/reduction/rows.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::mean {
namespace {

using namespace reduction;

constexpr auto kCandidates = rows<Asked::mean>(Exactness::bitwise, {{17, 16}, {5, 4}});

constexpr Variant kVariants[] = {
    {"mean/global", kMomentDtypes, kCandidates},
    {"mean/per_channel", kMomentDtypes, kCandidates},
    {"mean/per_item", kMomentDtypes, kCandidates},
    {"mean/axes", kMomentDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"mean", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::mean
