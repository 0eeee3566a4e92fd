// bincount in one read: counters one after the other, in several tables, or by comparing.
//
// Sorting the labels first was left out: a sort moves every label several times, a counter once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "candidates/bincount/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/histogram/compare-inl.hpp"
#include "kernels/stats/minmax-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace switchyard::kernels::HWY_NAMESPACE {
namespace {

// A function of its own for every type: dispatch knows no templates.
#define SWITCHYARD_LABELS(NAME, T)                                                                 \
  void Compare##NAME(const T *in, size_t n, size_t bins, uint64_t *counts) {                       \
    CountByComparing<T>(in, n, bins, counts);                                                      \
  }                                                                                                \
  void Range##NAME(const T *in, size_t n, bool skips, T skip, T *least, T *greatest) {             \
    HWY_ALIGN T scratch[kMinMaxScratch];                                                           \
    if (skips) {                                                                                   \
      MinMaxInterleaved(SkippingKeys<T>(skip), in, n, 1, scratch, least, greatest);                \
    } else {                                                                                       \
      MinMaxInterleaved(IntegerKeys<T>(), in, n, 1, scratch, least, greatest);                     \
    }                                                                                              \
  }

SWITCHYARD_LABELS(U8, uint8_t)
SWITCHYARD_LABELS(U16, uint16_t)
SWITCHYARD_LABELS(I32, int32_t)
SWITCHYARD_LABELS(I64, int64_t)
#undef SWITCHYARD_LABELS

} // namespace
} // namespace switchyard::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <limits>

#include "candidates/bincount/adapters.hpp"
#include "candidates/common/read_runs.hpp"
#include "candidates/common/sequence.hpp"
#include "kernels/histogram/labels.hpp"

namespace switchyard::kernels {
HWY_EXPORT(CompareU8);
HWY_EXPORT(CompareU16);
HWY_EXPORT(CompareI32);
HWY_EXPORT(CompareI64);
HWY_EXPORT(RangeU8);
HWY_EXPORT(RangeU16);
HWY_EXPORT(RangeI32);
HWY_EXPORT(RangeI64);
} // namespace switchyard::kernels

namespace switchyard::candidates::bincount {
namespace {

using namespace kernels; // a build for one SIMD target dispatches plain names alone

constexpr std::int64_t kTables = 8;
constexpr std::int64_t kMaxTableBins = 2048; // 64 KiB of counters
constexpr std::int64_t kMaxTableSums = 1024; // 64 KiB of sums
constexpr std::int64_t kMaxCompared = 32;    // more bins cost more comparisons than counters
constexpr std::int64_t kMaxPerFlush = std::int64_t{1} << 30; // of a 32-bit counter
constexpr std::int64_t kChunk = 4096;                        // elements; a multiple of kTables

template <class T>
using CompareKernel = void (*)(const T *, std::size_t, std::size_t, std::uint64_t *);
template <class T> using RangeKernel = void (*)(const T *, std::size_t, bool, T, T *, T *);

CompareKernel<std::uint8_t> compare_kernel(std::uint8_t) {
  return HWY_DYNAMIC_DISPATCH(CompareU8);
}
CompareKernel<std::uint16_t> compare_kernel(std::uint16_t) {
  return HWY_DYNAMIC_DISPATCH(CompareU16);
}
CompareKernel<std::int32_t> compare_kernel(std::int32_t) {
  return HWY_DYNAMIC_DISPATCH(CompareI32);
}
CompareKernel<std::int64_t> compare_kernel(std::int64_t) {
  return HWY_DYNAMIC_DISPATCH(CompareI64);
}
RangeKernel<std::uint8_t> range_kernel(std::uint8_t) {
  return HWY_DYNAMIC_DISPATCH(RangeU8);
}
RangeKernel<std::uint16_t> range_kernel(std::uint16_t) {
  return HWY_DYNAMIC_DISPATCH(RangeU16);
}
RangeKernel<std::int32_t> range_kernel(std::int32_t) {
  return HWY_DYNAMIC_DISPATCH(RangeI32);
}
RangeKernel<std::int64_t> range_kernel(std::int64_t) {
  return HWY_DYNAMIC_DISPATCH(RangeI64);
}

// Calls body(labels, n, ignored, skips) over all labels in the order of memory; `skips` is a
// constant of the type, ignored.skips as the compiler knows it.
template <class Body> void for_each_run(const Call &call, Body &&body) {
  with_labels(call.in[0]->dtype, [&]<class T>(T) {
    const Ignored<T> ignored(call.params_as<BincountParams>());
    ReadRuns<T>{forward(*call.in[0], false)}([&](const T *labels, std::int64_t n, RunChannels) {
      if (ignored.skips) {
        body(labels, n, ignored, std::true_type{});
      } else {
        body(labels, n, ignored, std::false_type{});
      }
    });
  });
}

// Calls body(labels, weights, n, ignored, skips) over chunks in the order X, H, W, C.
template <class Weight, class Body> void for_each_chunk(const Call &call, Body &&body) {
  with_labels(call.in[0]->dtype, [&]<class T>(T) {
    const Ignored<T> ignored(call.params_as<BincountParams>());
    const Sequence labels(*call.in[0]);
    const Sequence weights(*call.in[1]);
    const T *dense_labels = labels.template dense<T>();
    const Weight *dense_weights = weights.template dense<Weight>();
    std::array<T, kChunk> label_chunk;
    std::array<Weight, kChunk> weight_chunk;
    for (std::int64_t done = 0; done < labels.size(); done += kChunk) {
      const std::int64_t n = std::min(kChunk, labels.size() - done);
      if (dense_labels == nullptr) {
        labels.read(done, n, label_chunk.data());
      }
      if (dense_weights == nullptr) {
        weights.read(done, n, weight_chunk.data());
      }
      const T *l = dense_labels == nullptr ? label_chunk.data() : dense_labels + done;
      const Weight *w = dense_weights == nullptr ? weight_chunk.data() : dense_weights + done;
      if (ignored.skips) {
        body(l, w, n, ignored, std::true_type{});
      } else {
        body(l, w, n, ignored, std::false_type{});
      }
    }
  });
}

// The bin that is ignored, or -1.
std::int64_t ignored_bin(const BincountParams &params) {
  return Ignored<std::int64_t>(params).bin;
}

template <class Weight> void scatter_weights(const Call &call) {
  auto *sums = static_cast<double *>(call.out[0]->mutable_data());
  for_each_chunk<Weight>(
      call, [&](const auto *l, const Weight *w, std::int64_t n, const auto &ignored, auto skips) {
        kernels::scatter_sums<skips()>(l, w, n, ignored.label, sums);
      });
}

template <class Weight> void add_weights_in_tables(const Call &call, double *tables) {
  const auto bins = static_cast<std::size_t>(call.params_as<BincountParams>().bins);
  for_each_chunk<Weight>(
      call, [&](const auto *l, const Weight *w, std::int64_t n, const auto &ignored, auto skips) {
        kernels::table_sums<kTables, skips()>(l, w, n, ignored.label, bins, tables);
      });
}

// Adds up the tables, bin by bin, and empties them.
template <class T, class Sum> void join_tables(T *tables, std::int64_t bins, Sum *sums) {
  for (std::int64_t table = 0; table < kTables; ++table) {
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      sums[bin] += tables[table * bins + bin];
    }
  }
  std::fill_n(tables, kTables * bins, T{});
}

bool is_nothing(const Call &call) {
  return call.in[0]->empty() || call.params_as<BincountParams>().bins == 0;
}

template <class T> void store_all(const Call &call, const T *values) {
  for (std::int64_t bin = 0; bin < call.params_as<BincountParams>().bins; ++bin) {
    store(call, bin, values[bin]);
  }
}

} // namespace

const char *accepts_counts_fused(const Call &call) {
  return refuses_bins(call);
}

void run_counts_fused(const Call &call) {
  const auto &params = call.params_as<BincountParams>();
  auto *counts = static_cast<std::uint64_t *>(call.out[0]->mutable_data());
  std::fill_n(counts, params.bins, std::uint64_t{0});
  if (is_nothing(call)) {
    return;
  }
  for_each_run(call, [&](const auto *labels, std::int64_t n, const auto &ignored, auto skips) {
    kernels::scatter_counts<skips()>(labels, n, ignored.label, counts);
  });
  if (const std::int64_t ignored = ignored_bin(params); ignored >= 0) {
    store(call, ignored, std::uint64_t{0});
  }
}

const char *accepts_counts_tables(const Call &call) {
  return call.params_as<BincountParams>().bins > kMaxTableBins ? "more than 2048 bins" : nullptr;
}

void run_counts_tables(const Call &call) {
  const std::int64_t bins = call.params_as<BincountParams>().bins;
  std::array<std::uint64_t, kMaxTableBins> counts;
  std::array<std::uint32_t, kTables * kMaxTableBins> tables;
  std::fill_n(counts.begin(), bins, 0);
  std::fill_n(tables.begin(), kTables * bins, 0);
  std::int64_t pending = 0;
  if (!is_nothing(call)) {
    for_each_run(call, [&](const auto *labels, std::int64_t n, const auto &ignored, auto skips) {
      for (std::int64_t done = 0; done < n; done += kMaxPerFlush) {
        const std::int64_t part = std::min(kMaxPerFlush, n - done);
        if (pending + part > kMaxPerFlush) {
          join_tables(tables.data(), bins, counts.data());
          pending = 0;
        }
        pending += part;
        kernels::table_counts<kTables, skips()>(labels + done, part, ignored.label,
                                                static_cast<std::size_t>(bins), tables.data());
      }
    });
    join_tables(tables.data(), bins, counts.data());
  }
  const std::int64_t ignored = ignored_bin(call.params_as<BincountParams>());
  if (ignored >= 0) {
    counts[static_cast<std::size_t>(ignored)] = 0;
  }
  store_all(call, counts.data());
}

const char *accepts_counts_compare(const Call &call) {
  return call.params_as<BincountParams>().bins > kMaxCompared ? "more than 32 bins" : nullptr;
}

void run_counts_compare(const Call &call) {
  const std::int64_t bins = call.params_as<BincountParams>().bins;
  std::array<std::uint64_t, kMaxCompared> counts{};
  if (!is_nothing(call)) {
    // A label outside the bins equals none of them: nothing has to be skipped.
    for_each_run(call, [&]<class T>(const T *labels, std::int64_t n, const auto &, auto) {
      compare_kernel(T{})(labels, static_cast<std::size_t>(n), static_cast<std::size_t>(bins),
                          counts.data());
    });
  }
  const std::int64_t ignored = ignored_bin(call.params_as<BincountParams>());
  if (ignored >= 0) {
    counts[static_cast<std::size_t>(ignored)] = 0;
  }
  store_all(call, counts.data());
}

const char *accepts_weights_fused(const Call &call) {
  return refuses_bins(call);
}

void run_weights_fused(const Call &call) {
  const auto &params = call.params_as<BincountParams>();
  std::fill_n(static_cast<double *>(call.out[0]->mutable_data()), params.bins, 0.0);
  if (is_nothing(call)) {
    return;
  }
  if (call.in[1]->dtype == Dtype::f32) {
    scatter_weights<float>(call);
  } else {
    scatter_weights<double>(call);
  }
  if (const std::int64_t ignored = ignored_bin(params); ignored >= 0) {
    store(call, ignored, 0.0);
  }
}

const char *accepts_weights_tables(const Call &call) {
  return call.params_as<BincountParams>().bins > kMaxTableSums ? "more than 1024 bins" : nullptr;
}

void run_weights_tables(const Call &call) {
  const std::int64_t bins = call.params_as<BincountParams>().bins;
  std::array<double, kMaxTableSums> sums;
  std::array<double, kTables * kMaxTableSums> tables;
  std::fill_n(sums.begin(), bins, 0.0);
  std::fill_n(tables.begin(), kTables * bins, 0.0);
  if (!is_nothing(call)) {
    if (call.in[1]->dtype == Dtype::f32) {
      add_weights_in_tables<float>(call, tables.data());
    } else {
      add_weights_in_tables<double>(call, tables.data());
    }
    join_tables(tables.data(), bins, sums.data());
  }
  if (const std::int64_t ignored = ignored_bin(call.params_as<BincountParams>()); ignored >= 0) {
    sums[static_cast<std::size_t>(ignored)] = 0;
  }
  store_all(call, sums.data());
}

} // namespace switchyard::candidates::bincount

namespace switchyard {

LabelRange label_range(const ConstView &labels, bool ignores, std::int64_t ignored) {
  using namespace candidates;
  LabelRange range;
  if (labels.empty()) {
    return range;
  }
  bincount::with_labels(labels.dtype, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    const bool skips = ignores && ignored >= static_cast<std::int64_t>(Limits::min()) &&
                       ignored <= static_cast<std::int64_t>(Limits::max());
    T least = Limits::max();
    T greatest = Limits::lowest();
    ReadRuns<T>{forward(labels, false)}([&](const T *in, std::int64_t n, RunChannels) {
      bincount::range_kernel(T{})(in, static_cast<std::size_t>(n), skips,
                                  static_cast<T>(skips ? ignored : 0), &least, &greatest);
    });
    if (least <= greatest) {
      range = {static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
    }
  });
  return range;
}

} // namespace switchyard
#endif
