// The two terms in an order that suits backends which fuse one product into the sum.
#pragma once

#include <cmath>

#include "candidates/add_weighted/params.hpp"
#include "candidates/common/domain.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::add_weighted {

struct Term {
  const ConstView *image;
  float weight;
};

// `rounded` is the term whose product rounds by itself, `fused` the one whose product may enter the
// sum unrounded. The larger weight is rounded: a product that overflows must do so in both orders,
// and one by at most 1 in magnitude never does.
struct Terms {
  Term rounded;
  Term fused;
};

inline Terms order_terms(const Call &call) {
  const auto &params = call.params_as<AddWeightedParams>();
  const Term a{call.in[0], static_cast<float>(params.weight_a)};
  const Term b{call.in[1], static_cast<float>(params.weight_b)};
  return std::fabs(a.weight) < std::fabs(b.weight) ? Terms{b, a} : Terms{a, b};
}

// Weights for which a fused product stays within the contract's tolerance.
inline const char *refuses_fusing(const Call &call) {
  if (const char *reason = refuses_wide(call)) {
    return reason;
  }
  const Terms terms = order_terms(call);
  if (call.in[0]->dtype == Dtype::f32 && std::fabs(terms.fused.weight) > 1) {
    return "both weights exceed 1: a fused product could hide an overflow";
  }
  // Sums that reach 2^31 do not convert to int, nor do NaN and infinity.
  const float largest = 255 * (std::fabs(terms.rounded.weight) + std::fabs(terms.fused.weight));
  if (call.in[0]->dtype == Dtype::u8 && !(largest < 0x1p30F)) {
    return "sums beyond the range of int";
  }
  return nullptr;
}

} // namespace switchyard::candidates::add_weighted
