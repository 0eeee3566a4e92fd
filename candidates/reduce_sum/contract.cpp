// The contract of reduce_sum; candidates/contracts/reductions.cpp states it for all reductions.
#include "candidates/contracts/reductions.hpp"

namespace switchyard::candidates::reduce_sum {

const OpContract &contract() {
  static const auto kVariants =
      oracle::reductions(reduction::Asked::sum, {"reduce_sum/global", "reduce_sum/per_channel",
                                                 "reduce_sum/per_item", "reduce_sum/axes"});
  static const OpContract kContract{"reduce_sum", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::reduce_sum
