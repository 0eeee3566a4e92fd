// The contract of std; candidates/contracts/reductions.cpp states it for all reductions.
#include "candidates/contracts/reductions.hpp"

namespace switchyard::candidates::standard_deviation {

const OpContract &contract() {
  static const auto kVariants = oracle::reductions(
      reduction::Asked::std, {"std/global", "std/per_channel", "std/per_item", "std/axes"});
  static const OpContract kContract{"std", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::standard_deviation
