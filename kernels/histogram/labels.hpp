// Counting labels and adding up their weights. Scalar code, the same for every SIMD target.
//
// Labels are in [0, bins), but for those equal to `skip`, which are left out if kSkip.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::kernels {

// Calls each(i, i mod kTables) for the elements of [0, n) that count.
template <std::size_t kTables, bool kSkip, class T, class Each>
void for_each_counted(const T *labels, std::int64_t n, T skip, Each &&each) {
  const auto one = [&](std::int64_t i, std::size_t table) {
    if (!kSkip || labels[i] != skip) {
      each(i, table);
    }
  };
  constexpr auto kStep = static_cast<std::int64_t>(kTables);
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (std::size_t table = 0; table < kTables; ++table) {
      one(i + static_cast<std::int64_t>(table), table);
    }
  }
  for (std::size_t table = 0; i < n; ++i, ++table) {
    one(i, table);
  }
}

// counts[label] += 1, one after the other: for bins whose counters are seldom the same twice in a
// row.
template <bool kSkip, class T>
void scatter_counts(const T *labels, std::int64_t n, T skip, std::uint64_t *counts) {
  for_each_counted<1, kSkip>(labels, n, skip, [&](std::int64_t i, std::size_t) {
    ++counts[static_cast<std::size_t>(labels[i])];
  });
}

// The same in kTables tables, `bins` counters apart, in turn, so that equal neighbours don't wait
// for each other. Counters have 32 bits.
template <std::size_t kTables, bool kSkip, class T>
void table_counts(const T *labels, std::int64_t n, T skip, std::size_t bins,
                  std::uint32_t *tables) {
  for_each_counted<kTables, kSkip>(labels, n, skip, [&](std::int64_t i, std::size_t table) {
    ++tables[table * bins + static_cast<std::size_t>(labels[i])];
  });
}

// sums[label] += weight, one after the other: bit for bit the sums in this order.
template <bool kSkip, class T, class Weight>
void scatter_sums(const T *labels, const Weight *weights, std::int64_t n, T skip, double *sums) {
  for_each_counted<1, kSkip>(labels, n, skip, [&](std::int64_t i, std::size_t) {
    sums[static_cast<std::size_t>(labels[i])] += static_cast<double>(weights[i]);
  });
}

// The same in kTables tables, `bins` sums apart, in turn.
template <std::size_t kTables, bool kSkip, class T, class Weight>
void table_sums(const T *labels, const Weight *weights, std::int64_t n, T skip, std::size_t bins,
                double *tables) {
  for_each_counted<kTables, kSkip>(labels, n, skip, [&](std::int64_t i, std::size_t table) {
    tables[table * bins + static_cast<std::size_t>(labels[i])] += static_cast<double>(weights[i]);
  });
}

} // namespace switchyard::kernels
