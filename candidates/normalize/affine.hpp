// normalize by scalars as alpha · x + beta, for libraries that have no subtract-and-multiply.
#pragma once

#include <cmath>

#include "candidates/common/domain.hpp"
#include "candidates/normalize/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::normalize {

struct Affine {
  float alpha;
  float beta;
};

inline Affine affine_of(const NormalizeParams &params) {
  const auto mean = static_cast<double>(static_cast<float>(params.mean[0]));
  const auto scale = static_cast<float>(params.scale[0]);
  return {scale, static_cast<float>(-mean * static_cast<double>(scale))};
}

// The roundings of beta, of the product (where it is not fused) and of the sum add up to less than
// 2^-23 · (|x · scale| + |mean · scale|), the contract's tolerance, as long as beta is far from
// both ends of f32. OpenCV takes a beta below 2^-52 for 0, which is why its lower bound is high.
inline const char *refuses_affine(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  if (!params.scalar()) {
    return "scalars only";
  }
  if (const char *reason = refuses_wide(call)) {
    return reason;
  }
  if (!all_finite(params.mean) || !all_finite(params.scale)) {
    return "a parameter is not finite";
  }
  const double mean = std::fabs(params.mean[0]);
  const float beta = std::fabs(affine_of(params).beta);
  if (mean > 0x1p100 || beta > 0x1p100F) {
    return "mean or mean * scale could overflow";
  }
  if (beta < 0x1p-40F && mean != 0 && params.scale[0] != 0) {
    return "mean * scale is too small to be told from 0";
  }
  return nullptr;
}

} // namespace switchyard::candidates::normalize
