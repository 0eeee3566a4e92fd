#include "router/validate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace switchyard::validate {
namespace {

std::string text(const Extents &shape, int rank = 4) {
  return rank == 4 ? fmt::format("{}x{}x{}x{}", shape[kX], shape[kH], shape[kW], shape[kC])
                   : fmt::format("{}x{}x{}", shape[kH], shape[kW], shape[kC]);
}

std::string names(std::initializer_list<Dtype> dtypes) {
  std::string list;
  for (const Dtype dtype : dtypes) {
    list += list.empty() ? "" : ", ";
    list += name_of(dtype);
  }
  return list;
}

bool fits(const Extents &shape, std::int64_t size) {
  if (shape[kX] == 0 || shape[kH] == 0 || shape[kW] == 0 || shape[kC] == 0) {
    return true;
  }
  std::int64_t bytes = size;
  return std::all_of(shape.begin(), shape.end(), [&](std::int64_t extent) {
    return !__builtin_mul_overflow(bytes, extent, &bytes);
  });
}

void check_fits(std::string_view op, std::string_view argument, const Extents &shape, Dtype dtype,
                int rank) {
  if (!fits(shape, size_of(dtype))) {
    throw Error(op, argument, fmt::format("shape {} of {}", text(shape, rank), name_of(dtype)),
                "a size that fits 63 bits");
  }
}

// Bytes [first, last) that a non-empty view touches, as offsets from its data.
struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
Span span_of(const ConstView &view) {
  Span span{0, size_of(view.dtype)};
  for (int axis = 0; axis < 4; ++axis) {
    const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
    (reach < 0 ? span.first : span.last) += reach;
  }
  return span;
}

struct Term {
  std::int64_t stride; // > 0
  std::int64_t limit;  // the index runs over [0, limit]
};

// Two indices of one stride amount to one that runs over both their ranges. Views of one image have
// their strides in common, and every pair of rows would be searched otherwise.
void add_term(std::vector<Term> &terms, const Term &term) {
  const auto same = std::find_if(terms.begin(), terms.end(),
                                 [&](const Term &t) { return t.stride == term.stride; });
  if (same == terms.end()) {
    terms.push_back(term);
  } else {
    same->limit += term.limit;
  }
}

// Whether Σ stride_i · index_i takes a value in [low, high]: a depth-first search over the terms,
// largest stride first, which for nested strides has one or two branches a level.
class Reachable {
public:
  explicit Reachable(std::vector<Term> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term &a, const Term &b) { return a.stride > b.stride; });
    rest_.assign(terms_.size() + 1, 0);
    divisor_.assign(terms_.size() + 1, 0);
    for (std::size_t i = terms_.size(); i-- > 0;) {
      rest_[i] = rest_[i + 1] + terms_[i].stride * terms_[i].limit;
      divisor_[i] = std::gcd(divisor_[i + 1], terms_[i].stride);
    }
  }

  bool operator()(std::int64_t low, std::int64_t high, std::size_t level = 0) {
    if (high < 0 || low > rest_[level]) {
      return false;
    }
    if (low <= 0) {
      return true; // all indices 0
    }
    if (level == terms_.size()) {
      return false;
    }
    if (high / divisor_[level] * divisor_[level] < low) {
      return false; // no multiple of the common divisor lies in the interval
    }
    if (++visited_ > kMostVisits) {
      return true;
    }
    const Term &term = terms_[level];
    const std::int64_t least =
        std::max<std::int64_t>(0, (low - rest_[level + 1] + term.stride - 1) / term.stride);
    const std::int64_t most = std::min(term.limit, high / term.stride);
    for (std::int64_t index = most; index >= least; --index) {
      if ((*this)(low - index * term.stride, high - index * term.stride, level + 1)) {
        return true;
      }
    }
    return false;
  }

private:
  static constexpr int kMostVisits = 20000;
  std::vector<Term> terms_;
  std::vector<std::int64_t> rest_;
  std::vector<std::int64_t> divisor_;
  int visited_ = 0;
};

// The highest bit tells whether a number is finite and exceeds FLT_MAX: by integers, of which a
// compiler makes vector code where comparisons of doubles would not become any.
std::uint64_t wide_bit(const std::byte *number) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  constexpr std::uint64_t kBeyond =
      kTop - 1 - std::bit_cast<std::uint64_t>(static_cast<double>(FLT_MAX));
  constexpr std::uint64_t kInfinite =
      kTop - std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  std::uint64_t bits = 0;
  std::memcpy(&bits, number, sizeof bits);
  const std::uint64_t magnitude = bits & ~kTop;
  return (magnitude + kBeyond) & ~(magnitude + kInfinite) & kTop;
}

// n numbers `stride` bytes apart, aligned or not.
bool has_wide(const std::byte *at, std::int64_t n, std::int64_t stride) {
  constexpr std::int64_t kBlock = 1024; // the search ends between blocks
  for (std::int64_t from = 0; from < n; from += kBlock) {
    const std::int64_t count = std::min(kBlock, n - from);
    const std::byte *block = at + from * stride;
    std::uint64_t found = 0;
    if (stride == sizeof(double)) {
      for (std::int64_t k = 0; k < count; ++k) {
        found |= wide_bit(block + k * 8);
      }
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        found |= wide_bit(block + k * stride);
      }
    }
    if (found != 0) {
      return true;
    }
  }
  return false;
}

bool row_is_wide(const ConstView &view, std::int64_t x, std::int64_t h) {
  const std::int64_t columns = view.shape[kW];
  const std::int64_t channels = view.shape[kC];
  if (columns == 1 || channels == 1) {
    return has_wide(view.at(x, h, 0, 0), columns * channels, view.strides[channels == 1 ? kW : kC]);
  }
  if (view.strides[kW] == channels * view.strides[kC]) {
    return has_wide(view.at(x, h, 0, 0), columns * channels, view.strides[kC]);
  }
  for (std::int64_t w = 0; w < columns; ++w) {
    if (has_wide(view.at(x, h, w, 0), channels, view.strides[kC])) {
      return true;
    }
  }
  return false;
}

} // namespace

void image(std::string_view op, std::string_view argument, const ConstView &view,
           std::initializer_list<Dtype> accepted) {
  if (std::find(accepted.begin(), accepted.end(), view.dtype) == accepted.end()) {
    throw Error(op, argument, fmt::format("dtype {}", name_of(view.dtype)), names(accepted));
  }
  const Extents &shape = view.shape;
  // Four extents below 2^15 cannot be too many elements, whatever their size is.
  const auto all = static_cast<std::uint64_t>(shape[kX] | shape[kH] | shape[kW] | shape[kC]);
  if (all >= std::uint64_t{1} << 15) [[unlikely]] {
    if (*std::min_element(shape.begin(), shape.end()) < 0) {
      throw Error(op, argument, "shape " + text(shape, view.rank), "extents ≥ 0");
    }
    check_fits(op, argument, shape, view.dtype, view.rank);
  }
  if (view.data == nullptr && !view.empty()) {
    throw Error(op, argument, "no address", "an address for a view that is not empty");
  }
}

void result(std::string_view op, const Extents &shape, Dtype dtype, std::uint8_t rank) {
  check_fits(op, "result", shape, dtype, rank);
}

void same_shape(std::string_view op, std::string_view argument, const ConstView &view,
                const Extents &shape) {
  if (view.shape != shape) {
    throw Error(op, argument, "shape " + text(view.shape), text(shape));
  }
}

void repeats_to(std::string_view op, std::string_view argument, const ConstView &operand,
                const ConstView &image) {
  const Extents &shape = image.shape;
  const auto fits_or_one = [&](Axis axis) {
    return operand.shape[axis] == shape[axis] || operand.shape[axis] == 1;
  };
  if (operand.shape[kH] == shape[kH] && operand.shape[kW] == shape[kW] && fits_or_one(kX) &&
      fits_or_one(kC)) {
    return;
  }
  throw Error(op, argument, "shape " + text(operand.shape, operand.rank),
              fmt::format("{}{}x{}x{}", shape[kX] == 1 ? "" : fmt::format("{} or 1 of ", shape[kX]),
                          shape[kH], shape[kW],
                          shape[kC] == 1 ? "1" : fmt::format("{} or 1", shape[kC])));
}

void output(std::string_view op, std::string_view argument, const View &out, const Extents &shape,
            std::initializer_list<Dtype> accepted) {
  image(op, argument, out, accepted);
  same_shape(op, argument, out, shape);
  for (int axis = 0; axis < 4; ++axis) {
    if (!out.empty() && out.shape[axis] > 1 && out.strides[axis] == 0) {
      throw Error(op, argument, fmt::format("stride 0 on an axis of length {}", out.shape[axis]),
                  "an output whose elements are distinct");
    }
  }
}

void parameter(std::string_view op, std::string_view argument, const Values &values,
               std::int64_t channels) {
  if (!is_parameter(values, channels)) {
    throw Error(op, argument, fmt::format("{} values", values.size),
                channels == 1 ? std::string("1 value") : fmt::format("1 or {} values", channels));
  }
}

void overlap(std::string_view op, std::string_view argument, const View &out,
             const ConstView &input, bool in_place, std::string_view out_name) {
  if (out.empty() || input.empty() || (in_place && same_view(out, input)) ||
      !share_memory(out, input)) {
    return;
  }
  throw Error(op, out_name, fmt::format("memory that overlaps {}", argument),
              in_place ? "memory of its own, or exactly that view" : "memory of its own");
}

void options(std::string_view op, const Options &options) {
  if (options.threads < 1) {
    throw Error(op, "threads", std::to_string(options.threads), "1 or more");
  }
  if (options.exactness != Exactness::faithful && options.exactness != Exactness::bitwise) {
    throw Error(op, "exactness", "no such class", "faithful, bitwise");
  }
  if (options.rounding > Rounding::half_up) {
    throw Error(op, "rounding", "no such rounding", "by_op, truncate, half_even, half_up");
  }
}

bool same_view(const ConstView &a, const ConstView &b) {
  if (a.data != b.data || a.dtype != b.dtype || a.shape != b.shape) {
    return false;
  }
  for (int axis = 0; axis < 4; ++axis) {
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) {
      return false;
    }
  }
  return true;
}

bool share_memory(const ConstView &a, const ConstView &b) {
  if (a.empty() || b.empty()) {
    return false;
  }
  const Span span_a = span_of(a);
  const Span span_b = span_of(b);
  const auto start_a = reinterpret_cast<std::intptr_t>(a.data) + span_a.first;
  const auto start_b = reinterpret_cast<std::intptr_t>(b.data) + span_b.first;
  const auto length_a = span_a.last - span_a.first;
  const auto length_b = span_b.last - span_b.first;
  if (start_a + length_a <= start_b || start_b + length_b <= start_a) {
    return false;
  }
  // An element of a starts at start_a + p, one of b at start_b + q; they share a byte where
  // −size_a < (start_a + p) − (start_b + q) < size_b. With q' = reach_b − q both p and q' are sums
  // of strides from 0 upwards, and p + q' must fall into an interval.
  std::vector<Term> terms;
  for (const ConstView *view : {&a, &b}) {
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t stride = std::abs(view->strides[axis]);
      if (view->shape[axis] > 1 && stride != 0) {
        add_term(terms, {stride, view->shape[axis] - 1});
      }
    }
  }
  const std::int64_t reach_b = length_b - size_of(b.dtype);
  const std::int64_t target = start_b - start_a + reach_b; // p + q' where the starts coincide
  return Reachable(std::move(terms))(target - size_of(a.dtype) + 1, target + size_of(b.dtype) - 1);
}

bool is_wide(Values values) {
  return !is_surely_narrow(values) &&
         has_wide(reinterpret_cast<const std::byte *>(values.data), values.size, sizeof(double));
}

bool is_wide(const ConstView &view) {
  if (view.dtype != Dtype::f64 || view.empty()) {
    return false;
  }
  for (std::int64_t x = 0; x < view.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < view.shape[kH]; ++h) {
      if (row_is_wide(view, x, h)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace switchyard::validate
