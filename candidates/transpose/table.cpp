// The candidates of transpose: out(x, h, w, c) = in(x, w, h, c).
#include "candidates/turn/rows.hpp"

namespace switchyard::candidates::transpose {
namespace {

constexpr Turn describe(const Call & /*call*/) {
  return {.swap = true};
}

constexpr auto kCandidates = turn::rows<describe>({{1, 1}, {1, 1}});

constexpr Variant kVariants[] = {
    {"transpose", turn::kDtypes, kCandidates},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"transpose", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::transpose
