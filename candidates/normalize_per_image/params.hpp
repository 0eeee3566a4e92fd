// Parameters of normalize_per_image.
#pragma once

namespace switchyard {

struct NormalizePerImageParams {
  bool per_item = false; // statistics of each item of X by itself, else of the whole array
};

} // namespace switchyard
