// Reductions in one read of the image: exact integer sums of u8, moments per block of f32, and
// ranges of integer keys.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/reduction/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/stats/gather-inl.hpp"
#include "kernels/stats/minmax-inl.hpp"
#include "kernels/stats/moments-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

void GatherBytes(const std::byte *from, ptrdiff_t row_stride, ptrdiff_t stride, uint8_t *out,
                 size_t rows, size_t columns) {
  GatherRows(from, row_stride, stride, out, rows, columns);
}
void GatherFloats(const std::byte *from, ptrdiff_t row_stride, ptrdiff_t stride, float *out,
                  size_t rows, size_t columns) {
  GatherRows(from, row_stride, stride, out, rows, columns);
}

template <bool kSquares>
HWY_INLINE void ByteRows(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns,
                         uint64_t *sum, uint64_t *squares) {
  if (columns == 1) {
    ByteMoments<kSquares>(in, rows, sum, squares);
  } else if (stride == static_cast<ptrdiff_t>(columns) && SumsSoonerAsChannels(rows, columns)) {
    ByteChannelMoments<kSquares>(in, rows * columns, columns, sum, squares);
  } else {
    ByteColumnMoments<kSquares>(in, rows, stride, columns, sum, squares);
  }
}

void SumBytes(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns, uint64_t *sum,
              uint64_t *squares) {
  ByteRows<false>(in, rows, stride, columns, sum, squares);
}
void MomentsOfBytes(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns, uint64_t *sum,
                    uint64_t *squares) {
  ByteRows<true>(in, rows, stride, columns, sum, squares);
}

void SumsF32(const float *in, size_t pixels, ptrdiff_t stride, size_t channels, double *scratch,
             double *sums, double *squares) {
  BlockMoments<false>(in, pixels, stride, channels, scratch, sums, squares);
}
void MomentsF32(const float *in, size_t pixels, ptrdiff_t stride, size_t channels, double *scratch,
                double *sums, double *squares) {
  BlockMoments<true>(in, pixels, stride, channels, scratch, sums, squares);
}

void MeansOfBytes(const uint64_t *sums, const uint64_t *squares, size_t n, double eps,
                  size_t columns, double *means, double *deviations) {
  FinishBytes<false>(sums, squares, n, eps, columns, means, deviations);
}
void DeviationsOfBytes(const uint64_t *sums, const uint64_t *squares, size_t n, double eps,
                       size_t columns, double *means, double *deviations) {
  FinishBytes<true>(sums, squares, n, eps, columns, means, deviations);
}

// Whether it has computed them: not without a fused multiply-add.
bool MeansOfFloats(const double *sums, const double *squares, size_t n, double eps, size_t columns,
                   double *means, double *deviations) {
  if constexpr (HWY_NATIVE_FMA) {
    FinishFloats<false>(sums, squares, n, eps, columns, means, deviations);
  }
  return HWY_NATIVE_FMA;
}
bool DeviationsOfFloats(const double *sums, const double *squares, size_t n, double eps,
                        size_t columns, double *means, double *deviations) {
  if constexpr (HWY_NATIVE_FMA) {
    FinishFloats<true>(sums, squares, n, eps, columns, means, deviations);
  }
  return HWY_NATIVE_FMA;
}

template <class Keys>
HWY_INLINE void RangeOf(const typename Keys::Value *in, size_t rows, ptrdiff_t stride,
                        size_t columns, typename Keys::Key *scratch, typename Keys::Key *low,
                        typename Keys::Key *high) {
  if (columns < kMinMaxChannels) {
    MinMaxInterleaved(Keys(), in, rows, columns, scratch, low, high);
  } else {
    MinMaxColumns(Keys(), in, rows, stride, columns, low, high);
  }
}

void RangeOfBytes(const uint8_t *in, size_t rows, ptrdiff_t stride, size_t columns,
                  uint8_t *scratch, uint8_t *low, uint8_t *high) {
  RangeOf<IntegerKeys<uint8_t>>(in, rows, stride, columns, scratch, low, high);
}
void RangeOfFloats(const float *in, size_t rows, ptrdiff_t stride, size_t columns, int32_t *scratch,
                   int32_t *low, int32_t *high) {
  RangeOf<FloatKeys>(in, rows, stride, columns, scratch, low, high);
}

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "candidates/reduction/adapters.hpp"
#include "candidates/reduction/moments.hpp"
#include "candidates/reduction/plan.hpp"

namespace switchyard::kernels {
HWY_EXPORT(GatherBytes);
HWY_EXPORT(GatherFloats);
HWY_EXPORT(SumBytes);
HWY_EXPORT(MomentsOfBytes);
HWY_EXPORT(SumsF32);
HWY_EXPORT(MomentsF32);
HWY_EXPORT(MeansOfBytes);
HWY_EXPORT(DeviationsOfBytes);
HWY_EXPORT(MeansOfFloats);
HWY_EXPORT(DeviationsOfFloats);
HWY_EXPORT(RangeOfBytes);
HWY_EXPORT(RangeOfFloats);
} // namespace switchyard::kernels

namespace switchyard::candidates::reduction {
namespace {

// Of results whose values may come in any order.
constexpr std::int64_t kColumns = 512;
constexpr std::int64_t kNarrowest = 64; // a vector of bytes of any target, kMinMaxChannels
template <class T> constexpr std::int64_t kCached = (std::int64_t{1} << 17) / sizeof(T);
constexpr std::int64_t kAnyLength = std::numeric_limits<std::int64_t>::max() / 2;
template <class T> using Staging = std::array<T, 8192>;

// Before the address of a kernel is taken: until a target is chosen, that is the address of a
// function that chooses one, slowly, in every call.
void choose_target() {
  hwy::ChosenTarget &target = hwy::GetChosenTarget();
  if (!target.IsInitialized()) {
    target.Update(hwy::SupportedTargets());
  }
}

template <class T> auto *gather() {
  using namespace kernels;
  if constexpr (sizeof(T) == 1) {
    return HWY_DYNAMIC_DISPATCH(GatherBytes);
  } else {
    return HWY_DYNAMIC_DISPATCH(GatherFloats);
  }
}

// Arrays are filled up to whole vectors of f64 of any target.
constexpr std::size_t kFilling = 8;
// From so many columns on, results are computed in vectors.
constexpr std::int64_t kSeveral = 4;

// Writes an output's values of a tile's columns.
template <class T> void store_values(const Tile &tile, std::size_t which, const T *values) {
  if (tile.out_strides[which] == sizeof(T)) {
    std::memcpy(tile.out[which], values, static_cast<std::size_t>(tile.columns) * sizeof(T));
    return;
  }
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    tile.store(which, c, values[c]);
  }
}

// Writes what is asked for of means and deviations.
template <Asked kAsked>
void store_moments(const Tile &tile, const double *means, const double *deviations) {
  if constexpr (kAsked != Asked::std) {
    store_values(tile, 0, means);
  }
  if constexpr (asks_std(kAsked)) {
    store_values(tile, kAsked == Asked::mean_std ? 1 : 0, deviations);
  }
}

// Moments of u8 of up to kColumns results at once.
template <Asked kAsked> class ByteResults {
public:
  explicit ByteResults(const Call &call)
      : eps_(call.params_as<ReductionParams>().eps), plan_(call, Order::any) {}

  void run() {
    using namespace kernels;
    auto *const add =
        asks_std(kAsked) ? HWY_DYNAMIC_DISPATCH(MomentsOfBytes) : HWY_DYNAMIC_DISPATCH(SumBytes);
    Staging<std::uint8_t> staging;
    const Reader<std::uint8_t> reader(plan_, kNarrowest, staging, gather<std::uint8_t>());
    for_each_tile(plan_, kColumns, [&](const Tile &tile) {
      std::fill_n(sums_.begin(), tile.columns, 0);
      if constexpr (asks_std(kAsked)) {
        std::fill_n(squares_.begin(), tile.columns, 0);
      }
      reader.runs(tile, kAnyLength, [&](const Rows<std::uint8_t> &rows) {
        add(rows.data, static_cast<std::size_t>(rows.rows), rows.stride,
            static_cast<std::size_t>(tile.columns), sums_.data(), squares_.data());
      });
      store_tile(tile);
    });
  }

private:
  void store_tile(const Tile &tile) {
    using namespace kernels;
    if constexpr (kAsked == Asked::sum) {
      return store_values(tile, 0, sums_.data());
    }
    const auto n = static_cast<std::size_t>(plan_.count);
    if (tile.columns < kSeveral || n >= kernels::HWY_NAMESPACE::kMaxFinished) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(tile.columns); ++c) {
        const ByteSums sums{sums_[c], asks_std(kAsked) ? squares_[c] : 0};
        store<kAsked>(tile, static_cast<std::int64_t>(c), sums, plan_.count, eps_);
      }
      return;
    }
    auto *const finish = asks_std(kAsked) ? HWY_DYNAMIC_DISPATCH(DeviationsOfBytes)
                                          : HWY_DYNAMIC_DISPATCH(MeansOfBytes);
    finish(sums_.data(), squares_.data(), n, eps_, static_cast<std::size_t>(tile.columns),
           means_.data(), deviations_.data());
    store_moments<kAsked>(tile, means_.data(), deviations_.data());
  }

  static constexpr std::size_t kCapacity = kColumns + kFilling;
  double eps_;
  Plan plan_;
  std::array<std::uint64_t, kCapacity> sums_;
  std::array<std::uint64_t, kCapacity> squares_;
  std::array<double, kCapacity> means_;
  std::array<double, kCapacity> deviations_;
};

template <Asked kAsked> void run_bytes(const Call &call) {
  ByteResults<kAsked>(call).run();
}

// Moments of up to kCapacity results at once.
template <Asked kAsked, std::size_t kCapacity> class FloatMoments {
public:
  explicit FloatMoments(const Call &call)
      : eps_(call.params_as<ReductionParams>().eps), plan_(call, Order::fixed) {}

  void run() {
    const Reader<float> reader(plan_, 1, staging_, gather<float>());
    for_each_tile(plan_, widest(), [&](const Tile &tile) {
      const auto columns = static_cast<std::size_t>(tile.columns);
      const bool single = plan_.count <= kBlock;
      if (!single) {
        std::fill_n(moments_.begin(), columns, Moments());
      }
      reader.blocks(tile, kBlock, [&](const Rows<float> &rows) {
        sum_up(rows, columns);
        if (!single) {
          add_block(rows.rows, columns);
        }
      });
      if (single && store_block(tile)) {
        return;
      }
      if (single) {
        std::fill_n(moments_.begin(), columns, Moments());
        add_block(plan_.count, columns);
      }
      for (std::size_t c = 0; c < columns; ++c) {
        store<kAsked>(tile, static_cast<std::int64_t>(c), moments_[c], plan_.count, eps_);
      }
    });
  }

private:
  // Columns of whole blocks that the staging can hold; as many as there may be where memory is
  // read as it lies.
  static constexpr std::size_t kStaged = std::min<std::size_t>(kCapacity, 32) * kBlock;

  [[nodiscard]] std::int64_t widest() const {
    const bool direct = plan_.reduced.count() <= 1 && plan_.kept.inner().stride == sizeof(float) &&
                        plan_.is_aligned(alignof(float));
    const auto block = std::min(plan_.count, kBlock);
    // A whole number of vectors, and few enough that they are still in L1 when they are read again.
    constexpr std::int64_t kWhole = 64;
    constexpr std::int64_t kNear = std::int64_t{1} << 14;
    const std::int64_t near = std::max(kNear / block / kWhole * kWhole, kWhole);
    const std::int64_t fitting = std::min(static_cast<std::int64_t>(kStaged) / block, near);
    const auto capacity = static_cast<std::int64_t>(kCapacity);
    return direct ? capacity : std::min(fitting, capacity);
  }

  // The block's sums, and its sums of squared deviations.
  void sum_up(const Rows<float> &rows, std::size_t columns) {
    using namespace kernels;
    auto *const kernel =
        asks_std(kAsked) ? HWY_DYNAMIC_DISPATCH(MomentsF32) : HWY_DYNAMIC_DISPATCH(SumsF32);
    kernel(rows.data, static_cast<std::size_t>(rows.rows), rows.stride, columns, scratch_.data(),
           sums_.data(), squares_.data());
  }

  // Joins a block of n values to those before.
  void add_block(std::int64_t n, std::size_t columns) {
    for (std::size_t c = 0; c < columns; ++c) {
      asks_std(kAsked) ? moments_[c].add(n, sums_[c], squares_[c])
                       : moments_[c].add_sum(n, sums_[c]);
    }
  }

  // Writes the results of a single block; whether this target can.
  bool store_block(const Tile &tile) {
    using namespace kernels;
    if constexpr (kAsked == Asked::sum) {
      store_values(tile, 0, sums_.data());
      return true;
    }
    auto *const finish = asks_std(kAsked) ? HWY_DYNAMIC_DISPATCH(DeviationsOfFloats)
                                          : HWY_DYNAMIC_DISPATCH(MeansOfFloats);
    const bool can =
        finish(sums_.data(), squares_.data(), static_cast<std::size_t>(plan_.count), eps_,
               static_cast<std::size_t>(tile.columns), means_.data(), deviations_.data());
    if (can) {
      store_moments<kAsked>(tile, means_.data(), deviations_.data());
    }
    return can;
  }

  double eps_;
  Plan plan_;
  std::array<Moments, kCapacity> moments_;
  std::array<double, kCapacity + kFilling> sums_;
  std::array<double, kCapacity + kFilling> squares_;
  std::array<double, kCapacity + kFilling> means_;
  std::array<double, kCapacity + kFilling> deviations_;
  std::array<double, 3 * kLanes * kCapacity> scratch_;
  std::array<float, kStaged> staging_;
};

template <Asked kAsked> void run_floats(const Call &call) {
  constexpr std::size_t kFew = 4; // spares small images the set-up for many columns
  constexpr std::size_t kMany = 128;
  const Plan plan(call, Order::fixed);
  if (!plan.side_by_side || plan.kept.inner().extent <= static_cast<std::int64_t>(kFew)) {
    FloatMoments<kAsked, kFew>(call).run();
  } else {
    FloatMoments<kAsked, kMany>(call).run();
  }
}

struct Bytes {
  using Value = std::uint8_t;
  using Key = std::uint8_t;
  static auto *kernel() {
    using namespace kernels;
    return HWY_DYNAMIC_DISPATCH(RangeOfBytes);
  }
  static std::pair<Value, Value> range(Key low, Key high) { return {low, high}; }
};

struct Floats {
  using Value = float;
  using Key = std::int32_t;
  static auto *kernel() {
    using namespace kernels;
    return HWY_DYNAMIC_DISPATCH(RangeOfFloats);
  }
  // A key turns back as it was made; NaN keys lie beyond those of the infinities.
  static float value_of(Key key) { return std::bit_cast<float>(key < 0 ? key ^ INT32_MAX : key); }
  static std::pair<Value, Value> range(Key low, Key high) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const float least = value_of(low);
    const float most = value_of(high);
    return least != least || most != most ? std::pair{kNan, kNan} : std::pair{least, most};
  }
};

template <class Kind> void run_min_max(const Call &call) {
  using Value = typename Kind::Value;
  using Key = typename Kind::Key;
  auto *const widen = Kind::kernel();
  const Plan plan(call, Order::any);
  Staging<Value> staging;
  std::array<Key, kernels::HWY_NAMESPACE::kMinMaxScratch> scratch;
  std::array<Key, kColumns> low;
  std::array<Key, kColumns> high;
  const Reader<Value> reader(plan, kNarrowest, staging, gather<Value>());
  for_each_tile(plan, kColumns, [&](const Tile &tile) {
    std::fill_n(low.begin(), tile.columns, std::numeric_limits<Key>::max());
    std::fill_n(high.begin(), tile.columns, std::numeric_limits<Key>::min());
    // Wide rows are walked strip by strip, each time anew: from a cache.
    const std::int64_t longest =
        tile.columns < kNarrowest ? kAnyLength : kCached<Value> / tile.columns;
    reader.runs(tile, longest, [&](const Rows<Value> &rows) {
      widen(rows.data, static_cast<std::size_t>(rows.rows), rows.stride,
            static_cast<std::size_t>(tile.columns), scratch.data(), low.data(), high.data());
    });
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const auto [least, most] = Kind::range(low[at], high[at]);
      tile.store(0, c, least);
      tile.store(1, c, most);
    }
  });
}

} // namespace

template <Asked kAsked> void run_fused(const Call &call) {
  choose_target();
  if constexpr (kAsked == Asked::min_max) {
    run_by_dtype<kAsked>(call, run_min_max<Bytes>, run_min_max<Floats>);
  } else {
    run_by_dtype<kAsked>(call, run_bytes<kAsked>, run_floats<kAsked>);
  }
}

SWITCHYARD_INSTANTIATE_REDUCTIONS(run_fused);

} // namespace switchyard::candidates::reduction
#endif
