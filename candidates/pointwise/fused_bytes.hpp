// Pointwise ops from u8 to u8 in integer arithmetic, where that gives the same results as f32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "candidates/pointwise/expression.hpp"

namespace switchyard::candidates::pointwise {

// The op in f32: out[i] of in[i] and the coefficients of its channel.
using ByteKernel = void (*)(const std::uint8_t *in, std::uint8_t *out, std::size_t n,
                            const float *a, const float *b, std::size_t phase, std::size_t period);

// Computes the call, or returns false where f32 has to: `exact` is asked what the results are.
bool run_in_bytes(const Call &call, const Expression &expression, ByteKernel exact);

} // namespace switchyard::candidates::pointwise
