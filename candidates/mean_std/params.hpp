// Parameters of mean_std.
#pragma once

namespace switchyard {

struct MeanStdParams {
  double eps = 1e-4; // added to every deviation after the root
};

} // namespace switchyard
