// What the candidates of bincount share: labels by type, results that may lie anywhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "candidates/bincount/params.hpp"
#include "candidates/common/domain.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates::bincount {

// Calls body(T{}) with the type of the labels.
template <class Body> void with_labels(Dtype dtype, Body &&body) {
  switch (dtype) {
  case Dtype::u8:
    return body(std::uint8_t{});
  case Dtype::u16:
    return body(std::uint16_t{});
  case Dtype::i32:
    return body(std::int32_t{});
  default:
    return body(std::int64_t{});
  }
}

template <class T> void store(const Call &call, std::int64_t bin, T value) {
  std::memcpy(call.out[0]->at(0, 0, bin, 0), &value, sizeof value);
}

// A label to leave out, as a T. One that no T can be, needs no look; nor does one within the bins,
// whose result is simply 0.
template <class T> struct Ignored {
  explicit Ignored(const BincountParams &params) {
    const bool within = params.ignored >= 0 && params.ignored < params.bins;
    if (!params.ignores) {
      return;
    }
    if (within) {
      bin = params.ignored;
    } else if (params.ignored >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
               params.ignored <= static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
      skips = true;
      label = static_cast<T>(params.ignored);
    }
  }
  bool skips = false; // elements equal to `label` have no bin
  T label{};
  std::int64_t bin = -1; // is 0 in the end; -1: none
};

// The result's bins where they are dense and aligned.
inline const char *refuses_bins(const Call &call) {
  return has_dense_rows(*call.out[0]) && is_aligned(*call.out[0]) ? nullptr
                                                                  : "the bins are not dense";
}

} // namespace switchyard::candidates::bincount
