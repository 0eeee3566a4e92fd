// Products of matrices, and squared distances between their rows. Included once per SIMD target.
//
// A tile of kTileRows rows and two vectors of columns stays in registers while it takes in one
// index of depth after the other. Every element has one accumulator and adds in ascending order, so
// that neither the width of a vector nor any blocking shows in its bits. The right-hand operand is
// packed into a strip of the tile's width before use, padded with zeros; the left-hand one is read
// where it lies. Strides are bytes of any sign, addresses need no alignment, and nothing is
// allocated: blocks lie on the stack.
#if defined(SWITCHYARD_KERNELS_MATRIX_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_KERNELS_MATRIX_INL_HPP_
#undef SWITCHYARD_KERNELS_MATRIX_INL_HPP_
#else
#define SWITCHYARD_KERNELS_MATRIX_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <hwy/highway.h>

#include "kernels/matrix/operands.hpp"
#include "kernels/transpose/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// How an accumulator takes in a pair of elements.
struct ProductStep { // two roundings
  template <class V> static HWY_INLINE V Add(V sum, V a, V b) {
    return hn::Add(sum, hn::Mul(a, b));
  }
};
struct FusedStep { // one rounding where the target has it
  template <class V> static HWY_INLINE V Add(V sum, V a, V b) { return hn::MulAdd(a, b, sum); }
};
struct SquareStep { // of the difference, three roundings
  template <class V> static HWY_INLINE V Add(V sum, V a, V b) {
    const V difference = hn::Sub(a, b);
    return hn::Add(sum, hn::Mul(difference, difference));
  }
};

// What tells the operations apart. `Sum` holds an element between blocks of kDepth indices: where
// it is the working type, the accumulator goes on from it, else it takes in the block's result.
template <class InT, class WorkT, class SumT, class OutT, class StepT, size_t kBlock>
struct MatrixKind {
  using In = InT;
  using Work = WorkT;
  using Sum = SumT;
  using Out = OutT;
  using Step = StepT;
  static constexpr size_t kDepth = kBlock;
  static constexpr bool kCarries = std::is_same_v<Work, Sum>;
};

using ProductF32 = MatrixKind<float, float, float, float, ProductStep, 256>;
using ProductF64 = MatrixKind<double, double, double, double, ProductStep, 256>;
using FusedProductF32 = MatrixKind<float, float, float, float, FusedStep, 256>;
using FusedProductF64 = MatrixKind<double, double, double, double, FusedStep, 256>;
// 256 products of bytes add up to less than 2^24: f32 holds them exactly, fused or not.
using ProductU8 = MatrixKind<uint8_t, float, int32_t, int32_t, FusedStep, 256>;
// The contract's reference adds 64 squares in f32, and such sums in f64.
using DistanceF32 = MatrixKind<float, float, double, float, SquareStep, 64>;
using DistanceF64 = MatrixKind<double, double, double, float, SquareStep, 256>;

inline constexpr size_t kTileRows = 6;
inline constexpr size_t kBlockRows = 8 * kTileRows; // that a packed strip serves

template <class T> using MatrixTag = hn::ScalableTag<T>;
template <class T> inline constexpr size_t kStripColumns = 2 * hn::MaxLanes(MatrixTag<T>());

template <class T> HWY_INLINE T LoadElement(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// The accumulators of kRows rows. Members rather than an array: they are to be registers.
template <class D, size_t kRows> struct Accumulators {
  using T = hn::TFromD<D>;
  hn::Vec<D> left;
  hn::Vec<D> right;
  Accumulators<D, kRows - 1> next;

  // Not defaulted: the compiler would write it for the CPU's baseline, where vectors' own
  // constructors, which are the SIMD target's, can't be inlined.
  HWY_INLINE Accumulators() {} // NOLINT(modernize-use-equals-default)

  HWY_INLINE void Clear(D d) {
    left = right = hn::Zero(d);
    next.Clear(d);
  }
  HWY_INLINE void Load(D d, const T *sums) {
    left = hn::Load(d, sums);
    right = hn::Load(d, sums + hn::Lanes(d));
    next.Load(d, sums + 2 * hn::Lanes(d));
  }
  HWY_INLINE void Store(D d, T *sums) const {
    hn::Store(left, d, sums);
    hn::Store(right, d, sums + hn::Lanes(d));
    next.Store(d, sums + 2 * hn::Lanes(d));
  }
  template <class Step>
  HWY_INLINE void Add(D d, const uint8_t *a, ptrdiff_t a_row, hn::Vec<D> b_left,
                      hn::Vec<D> b_right) {
    const auto element = hn::Set(d, LoadElement<T>(a));
    left = Step::Add(left, element, b_left);
    right = Step::Add(right, element, b_right);
    next.template Add<Step>(d, a + a_row, a_row, b_left, b_right);
  }
};
template <class D> struct Accumulators<D, 0> {
  using T = hn::TFromD<D>;
  HWY_INLINE void Clear(D /*d*/) {}
  HWY_INLINE void Load(D /*d*/, const T * /*sums*/) {}
  HWY_INLINE void Store(D /*d*/, T * /*sums*/) const {}
  template <class Step>
  HWY_INLINE void Add(D /*d*/, const uint8_t * /*a*/, ptrdiff_t /*a_row*/, hn::Vec<D> /*left*/,
                      hn::Vec<D> /*right*/) {}
};

// A left-hand operand: element (m, k) lies at data + m · row + k · step.
struct LeftRows {
  const uint8_t *data;
  ptrdiff_t row;
  ptrdiff_t step;
};

// kRows rows by a packed strip, over `depth` indices. `sums` has rows of a strip's width;
// kContinue: the accumulators begin with what is there.
template <class Kind, bool kContinue, size_t kRows>
HWY_NOINLINE void MultiplyTile(const LeftRows &a, const typename Kind::Work *strip, size_t depth,
                               typename Kind::Work *sums) {
  using T = typename Kind::Work;
  const MatrixTag<T> d;
  const size_t lanes = hn::Lanes(d);
  Accumulators<MatrixTag<T>, kRows> accumulators;
  if constexpr (kContinue) {
    accumulators.Load(d, sums);
  } else {
    accumulators.Clear(d);
  }
  const uint8_t *at = a.data;
  for (size_t k = 0; k < depth; ++k) {
    const auto left = hn::Load(d, strip);
    const auto right = hn::Load(d, strip + lanes);
    accumulators.template Add<typename Kind::Step>(d, at, a.row, left, right);
    strip += 2 * lanes;
    at += a.step;
  }
  accumulators.Store(d, sums);
}

template <class Kind, bool kContinue>
HWY_INLINE void MultiplyRows(size_t rows, const LeftRows &a, const typename Kind::Work *strip,
                             size_t depth, typename Kind::Work *sums) {
  switch (rows) {
  case 1:
    return MultiplyTile<Kind, kContinue, 1>(a, strip, depth, sums);
  case 2:
    return MultiplyTile<Kind, kContinue, 2>(a, strip, depth, sums);
  case 3:
    return MultiplyTile<Kind, kContinue, 3>(a, strip, depth, sums);
  case 4:
    return MultiplyTile<Kind, kContinue, 4>(a, strip, depth, sums);
  case 5:
    return MultiplyTile<Kind, kContinue, 5>(a, strip, depth, sums);
  default:
    return MultiplyTile<Kind, kContinue, kTileRows>(a, strip, depth, sums);
  }
}

// One problem, block by block.
template <class Kind> class MatrixBlocks {
public:
  explicit MatrixBlocks(const MatrixOperands &operands)
      : m_(operands), width_(2 * hn::Lanes(MatrixTag<Work>())) {}

  HWY_INLINE void Run() {
    for (size_t row = 0; row < m_.rows; row += kBlockRows) {
      const size_t rows = m_.rows - row < kBlockRows ? m_.rows - row : kBlockRows;
      for (size_t column = 0; column < m_.columns; column += width_) {
        const size_t columns = m_.columns - column < width_ ? m_.columns - column : width_;
        if (m_.depth > 0 && m_.depth <= Kind::kDepth) { // nothing to carry on
          Pack(0, m_.depth, column, columns);
          ComputeBlock(row, rows, m_.depth);
          Write(results_, row, rows, column, columns);
          continue;
        }
        std::memset(sums_, 0, rows * width_ * sizeof(Sum));
        for (size_t k = 0; k < m_.depth; k += Kind::kDepth) {
          const size_t depth = m_.depth - k < Kind::kDepth ? m_.depth - k : Kind::kDepth;
          Pack(k, depth, column, columns);
          AddBlock(row, rows, k, depth);
        }
        Write(sums_, row, rows, column, columns);
      }
    }
  }

private:
  using In = typename Kind::In;
  using Work = typename Kind::Work;
  using Sum = typename Kind::Sum;
  using Out = typename Kind::Out;
  static constexpr size_t kWidth = kStripColumns<Work>;
  static constexpr size_t kNothing = ~size_t{0};

  // The strip of `depth` indices and `columns` columns, unless it is the one that is packed.
  HWY_INLINE void Pack(size_t k, size_t depth, size_t column, size_t columns) {
    if (packed_k_ == k && packed_column_ == column) {
      return;
    }
    packed_k_ = k;
    packed_column_ = column;
    const uint8_t *from =
        m_.b + static_cast<ptrdiff_t>(k) * m_.b_step + static_cast<ptrdiff_t>(column) * m_.b_column;
    if (columns < width_) {
      std::memset(strip_, 0, depth * width_ * sizeof(Work));
    }
    if constexpr (std::is_same_v<In, Work>) {
      if (m_.b_column == sizeof(In)) {
        for (size_t i = 0; i < depth; ++i) {
          std::memcpy(strip_ + i * width_, from + static_cast<ptrdiff_t>(i) * m_.b_step,
                      columns * sizeof(In));
        }
        return;
      }
      if (m_.b_step == sizeof(In)) {
        Transpose({from, m_.b_column, reinterpret_cast<uint8_t *>(strip_),
                   static_cast<ptrdiff_t>(width_ * sizeof(Work)), depth, columns, sizeof(In)});
        return;
      }
    }
    for (size_t i = 0; i < depth; ++i) {
      const uint8_t *at = from + static_cast<ptrdiff_t>(i) * m_.b_step;
      Convert(at, m_.b_column, strip_ + i * width_, columns);
    }
  }

  // n elements at distances of `stride` bytes, in the working type.
  static HWY_INLINE void Convert(const uint8_t *from, ptrdiff_t stride, Work *to, size_t n) {
    if (stride == sizeof(In)) {
      for (size_t i = 0; i < n; ++i) {
        to[i] = static_cast<Work>(LoadElement<In>(from + i * sizeof(In)));
      }
      return;
    }
    for (size_t i = 0; i < n; ++i) {
      to[i] = static_cast<Work>(LoadElement<In>(from + static_cast<ptrdiff_t>(i) * stride));
    }
  }

  // The left-hand rows of a block: where they lie, or converted.
  HWY_INLINE LeftRows Left(size_t row, size_t rows, size_t k, size_t depth) {
    const uint8_t *first =
        m_.a + static_cast<ptrdiff_t>(row) * m_.a_row + static_cast<ptrdiff_t>(k) * m_.a_step;
    if constexpr (std::is_same_v<In, Work>) {
      (void)rows;
      (void)depth;
      return {first, m_.a_row, m_.a_step};
    } else {
      if (converted_row_ != row || converted_k_ != k) {
        converted_row_ = row;
        converted_k_ = k;
        for (size_t i = 0; i < rows; ++i) {
          Convert(first + static_cast<ptrdiff_t>(i) * m_.a_row, m_.a_step,
                  converted_ + i * Kind::kDepth, depth);
        }
      }
      return {reinterpret_cast<const uint8_t *>(converted_), Kind::kDepth * sizeof(Work),
              sizeof(Work)};
    }
  }

  // The whole of the depth is in the strip.
  HWY_INLINE void ComputeBlock(size_t row, size_t rows, size_t depth) {
    LeftRows a = Left(row, rows, 0, depth);
    for (size_t i = 0; i < rows; i += kTileRows) {
      const size_t count = rows - i < kTileRows ? rows - i : kTileRows;
      MultiplyRows<Kind, false>(count, a, strip_, depth, results_ + i * width_);
      a.data += static_cast<ptrdiff_t>(kTileRows) * a.row;
    }
  }

  HWY_INLINE void AddBlock(size_t row, size_t rows, size_t k, size_t depth) {
    LeftRows a = Left(row, rows, k, depth);
    for (size_t i = 0; i < rows; i += kTileRows) {
      const size_t count = rows - i < kTileRows ? rows - i : kTileRows;
      Sum *sums = sums_ + i * width_;
      if constexpr (Kind::kCarries) {
        MultiplyRows<Kind, true>(count, a, strip_, depth, sums);
      } else {
        MultiplyRows<Kind, false>(count, a, strip_, depth, results_);
        for (size_t j = 0; j < count * width_; ++j) {
          sums[j] += static_cast<Sum>(results_[j]);
        }
      }
      a.data += static_cast<ptrdiff_t>(kTileRows) * a.row;
    }
  }

  template <class T>
  HWY_INLINE void Write(const T *values, size_t row, size_t rows, size_t column,
                        size_t columns) const {
    uint8_t *to = m_.out + static_cast<ptrdiff_t>(row) * m_.out_row +
                  static_cast<ptrdiff_t>(column) * m_.out_column;
    if constexpr (std::is_same_v<T, Out>) {
      if (m_.out_row == sizeof(Out) && m_.out_column != sizeof(Out)) {
        return Transpose({reinterpret_cast<const uint8_t *>(values),
                          static_cast<ptrdiff_t>(width_ * sizeof(T)), to, m_.out_column, columns,
                          rows, sizeof(Out)});
      }
    }
    for (size_t i = 0; i < rows; ++i) {
      WriteLine(values + i * width_, to + static_cast<ptrdiff_t>(i) * m_.out_row, columns);
    }
  }

  template <class T> HWY_INLINE void WriteLine(const T *values, uint8_t *to, size_t columns) const {
    Out line[kWidth];
    for (size_t j = 0; j < columns; ++j) {
      line[j] = static_cast<Out>(values[j]);
    }
    if (m_.out_column == sizeof(Out)) {
      std::memcpy(to, line, columns * sizeof(Out));
      return;
    }
    for (size_t j = 0; j < columns; ++j) {
      std::memcpy(to + static_cast<ptrdiff_t>(j) * m_.out_column, line + j, sizeof(Out));
    }
  }

  // Blocks of a left-hand operand that has to be converted; otherwise next to nothing.
  static constexpr size_t kConverted = std::is_same_v<In, Work> ? 1 : kBlockRows * Kind::kDepth;

  MatrixOperands m_;
  size_t width_; // of a strip: columns
  size_t packed_k_ = kNothing;
  size_t packed_column_ = kNothing;
  size_t converted_row_ = kNothing;
  size_t converted_k_ = kNothing;
  HWY_ALIGN Work strip_[Kind::kDepth * kWidth];
  HWY_ALIGN Sum sums_[kBlockRows * kWidth];
  HWY_ALIGN Work results_[kBlockRows * kWidth];
  HWY_ALIGN Work converted_[kConverted];
};

// Every element of the result, over all of the depth. Results of a few columns are computed as
// their transpose: both operations are symmetrical to the bit, and rows fill vectors instead.
template <class Kind> HWY_INLINE void Multiply(const MatrixOperands &operands) {
  const bool narrow = operands.columns < operands.rows &&
                      operands.columns <= hn::Lanes(MatrixTag<typename Kind::Work>());
  MatrixBlocks<Kind>(narrow ? Transposed(operands) : operands).Run();
}

} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // SWITCHYARD_KERNELS_MATRIX_INL_HPP_
