// The candidates of rot90: quarter turns counter-clockwise.
#include "candidates/rot90/params.hpp"
#include "candidates/turn/rows.hpp"

namespace switchyard::candidates::rot90 {
namespace {

Turn describe(const Call &call) {
  return turn_of(call.params_as<Rot90Params>());
}

constexpr auto kCandidates = turn::rows<describe>({{2, 2}, {2, 2}});

constexpr Variant kVariants[] = {
    {"rot90", turn::kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"rot90", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::rot90
