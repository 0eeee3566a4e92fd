// The reference of sum, mean and deviation, and their exact values: what reductions are judged by,
// and the ops that begin with them. reductions.cpp states the formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace switchyard::oracle {

using Numbers = std::span<const double>; // the values of one result

struct Reference {
  double sum = 0;
  double mean = 0;
  double std = 0; // without eps
};

// Exact to far more digits than the tolerances need.
struct Exact {
  long double sum = 0;
  long double mean = 0;
  long double std = 0;
  long double magnitude = 0; // Σ|x|
};

struct Judgement {
  Reference reference;
  Exact exact;
};

inline Judgement judge_bytes(Numbers values) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const double value : values) {
    const auto x = static_cast<std::uint64_t>(value);
    sum += x;
    squares += x * x;
  }
  const Wide under_root = Wide{values.size()} * squares - Wide{sum} * sum;
  const auto n = static_cast<double>(values.size());
  Judgement result;
  result.reference = {static_cast<double>(sum), static_cast<double>(sum) / n,
                      std::sqrt(static_cast<double>(under_root)) / n};
  result.exact.sum = static_cast<long double>(sum);
  result.exact.mean = result.exact.sum / n;
  result.exact.std = std::sqrt(static_cast<long double>(under_root)) / n;
  result.exact.magnitude = 0; // so that a sum is exact, and a mean as well
  return result;
}

// The sum of a block: 16 partial sums, joined as a tree.
template <class Term> double block_sum(std::span<const double> block, Term term) {
  double partial[16] = {};
  for (std::size_t k = 0; k < block.size(); ++k) {
    partial[k % 16] += term(block[k]);
  }
  for (std::size_t distance = 8; distance > 0; distance /= 2) {
    for (std::size_t i = 0; i < distance; ++i) {
      partial[i] += partial[i + distance];
    }
  }
  return partial[0];
}

// Σ (x − s / n)² of a block, by its squares where the difference keeps enough digits.
inline double block_deviations(std::span<const double> block, double s) {
  const auto n = static_cast<double>(block.size());
  const double even = s * s / n; // were all values equal
  const double spread = block_sum(block, [](double x) { return x * x; }) - even;
  const double center = s / n;
  return spread >= 1e-4 * even
             ? spread
             : block_sum(block, [&](double x) { return (x - center) * (x - center); });
}

// The deviation is left out where nobody asks for it: large images are judged as well.
inline Reference floats_reference(Numbers values, bool with_std) {
  double n = 0;
  double h = 0;
  double l = 0;
  double m = 0;
  const auto mean = [&] {
    const double r = h / n;
    return std::isfinite(r) ? r + (std::fma(-r, n, h) + l) / n : r;
  };
  for (std::size_t from = 0; from < values.size(); from += 2048) {
    const auto block = values.subspan(from, std::min<std::size_t>(2048, values.size() - from));
    const auto size = static_cast<double>(block.size());
    const double s = block_sum(block, [](double x) { return x; });
    const double center = s / size;
    if (with_std) {
      const double d = n > 0 ? center - mean() : 0;
      m += n > 0 ? d * d * (n * size / (n + size)) : 0;
      m += block_deviations(block, s);
    }
    const double sum = h + s;
    const double taken = sum - h; // of s
    l += (h - (sum - taken)) + (s - taken);
    h = sum;
    n += size;
  }
  return {std::isfinite(h) ? h + l : h, mean(), std::sqrt(m / n)};
}

// Two passes with 64 bits of precision.
inline Exact exact_of(Numbers values, bool with_std) {
  Exact exact;
  const auto n = static_cast<long double>(values.size());
  for (const double value : values) {
    exact.sum += value;
    exact.magnitude += std::fabs(value);
  }
  exact.mean = exact.sum / n;
  if (with_std) {
    for (const double value : values) {
      exact.std += (value - exact.mean) * (value - exact.mean);
    }
    exact.std = std::sqrt(exact.std / n);
  }
  return exact;
}

inline bool all_equal(Numbers values) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
}

// The deviation only if asked for.
inline Judgement judge(Numbers values, bool bytes, bool with_std) {
  return bytes ? judge_bytes(values)
               : Judgement{floats_reference(values, with_std), exact_of(values, with_std)};
}

} // namespace switchyard::oracle
