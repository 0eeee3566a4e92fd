// The contract of min_max; candidates/contracts/reductions.cpp states it for all reductions.
#include "candidates/contracts/reductions.hpp"

namespace switchyard::candidates::min_max {

const OpContract &contract() {
  static const auto kVariants =
      oracle::reductions(reduction::Asked::min_max, {"min_max/global", "min_max/per_channel",
                                                     "min_max/per_item", "min_max/axes"});
  static const OpContract kContract{"min_max", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::min_max
