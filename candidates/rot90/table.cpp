// The candidates of rot90: quarter turns counter-clockwise.
#include "candidates/rot90/params.hpp"
#include "candidates/turn/rows.hpp"

namespace switchyard::candidates::rot90 {
namespace {

// out(h, w) is in(w, W - 1 - h), in(H - 1 - h, W - 1 - w) or in(H - 1 - w, h) after 1, 2 and 3
// turns.
Turn describe(const Call &call) {
  switch (call.params_as<Rot90Params>().quarter_turns) {
  case 1:
    return {true, false, true};
  case 2:
    return {false, true, true};
  case 3:
    return {true, true, false};
  default:
    return {};
  }
}

constexpr auto kCandidates = turn::rows<describe>({{2, 2}, {2, 2}});

// A half turn keeps rows in a row; quarter turns don't.
constexpr std::string_view kClasses[] = {"quarter", "half"};
int class_of(const Call &call) {
  return call.params_as<Rot90Params>().quarter_turns % 2 == 0 ? 1 : 0;
}

constexpr Variant kVariants[] = {
    {"rot90", turn::kDtypes, kCandidates, {nullptr, true, kClasses, class_of}},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"rot90", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::rot90
