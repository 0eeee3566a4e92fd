#pragma once

#include <cstdint>

namespace switchyard::candidates {

struct PairwiseParams {
  std::int64_t points = 0; // rows of the second matrix: columns of the result
};

} // namespace switchyard::candidates
