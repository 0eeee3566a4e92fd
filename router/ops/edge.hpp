// Pieces that the edges of ops share.
#pragma once

#include <cstdint>

#include "router/dispatch.hpp"
#include "router/validate.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/image.hpp"
#include "switchyard/parameter.hpp"

namespace switchyard::edge {

// Two variants of an op, looked up together.
class ScalarAndVector {
public:
  ScalarAndVector(std::string_view scalar, std::string_view vector)
      : scalar_(scalar), vector_(vector) {}
  const VariantHandle &operator()(bool is_scalar) const { return is_scalar ? scalar_ : vector_; }

private:
  VariantHandle scalar_;
  VariantHandle vector_;
};

// Flags of a pointwise call. Validation has ruled out any overlap but the same view.
inline std::uint32_t flags(const View &out, std::initializer_list<const ConstView *> inputs,
                           std::initializer_list<Values> parameters) {
  std::uint32_t flags = 0;
  for (const ConstView *input : inputs) {
    flags |= input->data == out.data && input->dtype == out.dtype ? kInPlace : 0U;
  }
  for (const Values &values : parameters) {
    flags |= !validate::is_surely_narrow(values) && validate::is_wide(values) ? kWide : 0U;
  }
  return flags;
}

// The image that an op returns. Throws Error that names the op's result where it is too large to be
// one, std::bad_alloc where memory ends.
inline Image result_image(std::string_view op, const Extents &shape, Dtype dtype,
                          std::uint8_t rank = 3) {
  validate::result(op, shape, dtype, rank);
  return {shape, dtype, rank};
}

// The value of a dtype that stands for 1: the largest one of integers.
inline double full_scale(Dtype dtype) {
  return dtype == Dtype::u8 ? 255.0 : dtype == Dtype::u16 ? 65535.0 : 1.0;
}

// Index of u8 and f32 in the dtype cases of ops that compute those two.
inline std::uint8_t u8_or_f32(const ConstView &image) {
  return image.dtype == Dtype::u8 ? 0 : 1;
}

} // namespace switchyard::edge
