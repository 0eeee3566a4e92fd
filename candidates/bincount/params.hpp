// Parameters of bincount, and what its edge has to know of the labels.
#pragma once

#include <cstdint>

#include "switchyard/core/view.hpp"

namespace switchyard {

// Every label that is not ignored is in [0, bins). The result has the shape 1 × 1 × bins × 1.
struct BincountParams {
  std::int64_t bins = 0;
  bool ignores = false;
  std::int64_t ignored = 0; // any number
};

// The least and the greatest label; the least is the greater one where there is none.
struct LabelRange {
  std::int64_t least = 1;
  std::int64_t greatest = 0;
  [[nodiscard]] bool empty() const { return least > greatest; }
};

// Of labels u8, u16, i32 or i64, without those that are ignored, in one vectorised read.
[[nodiscard]] LabelRange label_range(const ConstView &labels, bool ignores, std::int64_t ignored);

} // namespace switchyard
