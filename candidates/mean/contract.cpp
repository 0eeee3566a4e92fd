// The contract of mean; candidates/contracts/reductions.cpp states it for all reductions.
#include "candidates/contracts/reductions.hpp"

namespace switchyard::candidates::mean {

const OpContract &contract() {
  static const auto kVariants = oracle::reductions(
      reduction::Asked::mean, {"mean/global", "mean/per_channel", "mean/per_item", "mean/axes"});
  static const OpContract kContract{"mean", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::mean
