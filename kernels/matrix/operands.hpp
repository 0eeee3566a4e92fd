// What the matrix kernels read and write. Strides are bytes, of any sign.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::kernels {

struct MatrixOperands {
  const std::uint8_t *a; // rows × depth
  std::ptrdiff_t a_row;
  std::ptrdiff_t a_step;
  const std::uint8_t *b; // depth × columns
  std::ptrdiff_t b_step;
  std::ptrdiff_t b_column;
  std::uint8_t *out; // rows × columns; overlaps neither
  std::ptrdiff_t out_row;
  std::ptrdiff_t out_column;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

// The problem whose result is this one's transpose, written where this one's lies.
inline MatrixOperands Transposed(const MatrixOperands &m) {
  return {m.b,   m.b_column,   m.b_step,  m.a,       m.a_step, m.a_row,
          m.out, m.out_column, m.out_row, m.columns, m.rows,   m.depth};
}

} // namespace switchyard::kernels
