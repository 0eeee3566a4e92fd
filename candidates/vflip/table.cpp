// The candidates of vflip: out(x, h, w, c) = in(x, H - 1 - h, w, c).
#include "candidates/turn/rows.hpp"

namespace switchyard::candidates::vflip {
namespace {

constexpr Turn describe(const Call & /*call*/) {
  return {.reverse_h = true};
}

constexpr auto kCandidates = turn::rows<describe>({{1, 1}, {2, 2}});

constexpr Variant kVariants[] = {
    {"vflip", turn::kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"vflip", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::vflip
