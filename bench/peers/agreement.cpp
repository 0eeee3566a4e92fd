#include "bench/peers/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace switchyard::peers {
namespace {

template <class T> double as_number(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double number_at(const std::byte *at, Dtype dtype) {
  switch (dtype) {
  case Dtype::u8:
    return as_number<std::uint8_t>(at);
  case Dtype::i8:
    return as_number<std::int8_t>(at);
  case Dtype::u16:
    return as_number<std::uint16_t>(at);
  case Dtype::i16:
    return as_number<std::int16_t>(at);
  case Dtype::i32:
    return as_number<std::int32_t>(at);
  case Dtype::i64:
    return as_number<std::int64_t>(at);
  case Dtype::u64:
    return as_number<std::uint64_t>(at);
  case Dtype::f32:
    return as_number<float>(at);
  case Dtype::f64:
    return as_number<double>(at);
  }
  return 0;
}

bool agree(double expected, double got, Dtype dtype) {
  constexpr double kReach = 1e-5;
  if (expected == got || (std::isnan(expected) && std::isnan(got))) {
    return true;
  }
  const bool levels = dtype == Dtype::u8 || dtype == Dtype::u16;
  return std::fabs(expected - got) <=
         (levels ? 1 : kReach * std::max(1.0, std::min(std::fabs(expected), 1e300)));
}

std::vector<double> numbers_of(const ConstView &view) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(view.elements()));
  for (std::int64_t x = 0; x < view.shape[kX]; ++x) {
    for (std::int64_t h = 0; h < view.shape[kH]; ++h) {
      for (std::int64_t w = 0; w < view.shape[kW]; ++w) {
        for (std::int64_t c = 0; c < view.shape[kC]; ++c) {
          numbers.push_back(number_at(view.at(x, h, w, c), view.dtype));
        }
      }
    }
  }
  return numbers;
}

} // namespace

Results results_of(const Call &call) {
  Results results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (call.out[i] != nullptr) {
      results[i] = numbers_of(*call.out[i]);
    }
  }
  return results;
}

std::string disagreement(const Call &call, const Results &expected, const Results &got) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      if (!agree(expected[i][k], got[i][k], call.out[i]->dtype)) {
        return fmt::format("out[{}] element {}: {}, routed {}", i, k, got[i][k], expected[i][k]);
      }
    }
  }
  return {};
}

} // namespace switchyard::peers
