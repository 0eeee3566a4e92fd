// The contract of mean_std; candidates/contracts/reductions.cpp states it for all reductions.
#include "candidates/contracts/reductions.hpp"

namespace switchyard::candidates::mean_std {

const OpContract &contract() {
  static const auto kVariants =
      oracle::reductions(reduction::Asked::mean_std, {"mean_std/global", "mean_std/per_channel",
                                                      "mean_std/per_item", "mean_std/axes"});
  static const OpContract kContract{"mean_std", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::mean_std
