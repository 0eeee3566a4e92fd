// The candidates of hflip: out(x, h, w, c) = in(x, h, W - 1 - w, c).
#include "candidates/turn/rows.hpp"

namespace switchyard::candidates::hflip {
namespace {

constexpr Turn describe(const Call & /*call*/) {
  return {.reverse_w = true};
}

constexpr auto kCandidates = turn::rows<describe>({{1, 1}, {2, 2}});

constexpr Variant kVariants[] = {
    {"hflip", turn::kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"hflip", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::hflip
