// Rows of bytes that a call moves: what the traffic kernels work on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::kernels {

// `rows` dense rows of `elements` elements in every array. Distances between rows are in bytes and
// may be negative; element sizes are powers of two up to 8.
struct TrafficRows {
  static constexpr size_t kMostInputs = 3;
  static constexpr size_t kMostOutputs = 2;

  size_t inputs = 0; // 1 … 3
  size_t outputs = 0;
  const uint8_t *in[kMostInputs] = {};
  ptrdiff_t in_stride[kMostInputs] = {};
  size_t in_size[kMostInputs] = {}; // bytes of an element
  uint8_t *out[kMostOutputs] = {};
  ptrdiff_t out_stride[kMostOutputs] = {};
  size_t out_size[kMostOutputs] = {};
  size_t rows = 0;
  size_t elements = 0;
};

} // namespace switchyard::kernels
