// The calls that a thread has made lately, so that one like them is known by one comparison.
//
// What validation and lookup find depends on the geometry of the views, on their distances, and on
// a few facts; it is kept with them. Of numbers nothing is kept: they are looked at in every call.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// The parts of a RouteInfo, whose names are only wanted where somebody asks.
struct LastRoute {
  const Variant *variant = nullptr;
  const Candidate *candidate = nullptr;
  Grade grade = Grade::default_order;
  int threads = 0;
};

// Which distances between the addresses of two views are good: all but `most` + 1 from `first` on.
// Modulo 2^64, as addresses are.
struct Distances {
  std::uint64_t first = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max(); // none is good

  [[nodiscard]] bool has(std::uint64_t distance) const { return distance - first > most; }
  static Distances only(std::uint64_t distance) {
    return {distance + 1, std::numeric_limits<std::uint64_t>::max() - 1};
  }
  static Distances all_but(std::uint64_t distance) { return {distance, 0}; }
};

class CallMemo {
  // Extents and strides of a view, compared by pairs.
  using Pair = std::int64_t __attribute__((vector_size(16)));
  using Geometry = std::array<Pair, 4>;

  // Of many pairs at once, without a branch each.
  class Comparison {
  public:
#if defined(__SSE2__)
    void add(Pair a, Pair b) {
      equal_ = _mm_and_si128(
          equal_, _mm_cmpeq_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
    }
    [[nodiscard]] bool all_equal() const {
      return _mm_movemask_epi8(equal_) == 0xFFFF;
    }

  private:
    __m128i equal_ = _mm_set1_epi32(-1);
#else
    void add(Pair a, Pair b) {
      bits_ |= a ^ b;
    }
    [[nodiscard]] bool all_equal() const {
      return (bits_[0] | bits_[1]) == 0;
    }

  private:
    Pair bits_{};
#endif
  };

public:
  static constexpr std::size_t kMostViews = 4;
  static constexpr std::size_t kMostPairs = 3; // of views, one of them an output

  // What the public edge has been asked for. `views` are the inputs, then the outputs that are
  // given, whose extents follow from the inputs' and the facts. `facts` is all else that
  // validation, the lookup and Kinds::class_of depend on, numbers of the op's parameters apart;
  // `variant` is the index of the call's variant or of another one,
  // if the facts and the views tell which.
  template <int kInputs, int kOutputs> struct Asked {
    static constexpr int kViews = kInputs + kOutputs;
    static_assert(kViews <= int{kMostViews});
    int variant;
    std::uint32_t facts;
    const Options &options;
    std::array<const ConstView *, kViews> views;

    [[nodiscard]] std::uint64_t key() const {
      return std::uint64_t{static_cast<std::uint32_t>(variant)} << 32 | facts;
    }
  };

  // Of a size by which a number is multiplied fast.
  class alignas(512) Entry {
  public:
    LastRoute route;
    Run *run = nullptr;
    Domain *domain = nullptr; // nullptr: calls like it are accepted
    std::uint32_t flags = 0;
    std::uint8_t dtype_case = 0;
    std::uint8_t note = 0; // the edge's own

    // Whether such a call is like the one that this is of, apart from addresses. Of one that is
    // known to be right, `kChecked` false, the extents of outputs need no look.
    template <bool kChecked, int kInputs, int kOutputs>
    [[nodiscard]] bool is_like(const void *serving, const Asked<kInputs, kOutputs> &asked) const {
      constexpr int kWhole = kChecked ? kInputs + kOutputs : kInputs;
      return serving_ == serving && key_ == asked.key() && wish_ == wish_of(asked.options) &&
             asked.options.candidate.empty() && has_types(asked.views) &&
             has_geometry<kWhole>(asked.views);
    }
    // Of a call that is like it and, `kChecked`, not validated: whether it needn't be, numbers
    // apart. Of one that is known to be right: whether inputs are outputs as they were.
    template <bool kChecked, int kInputs, int kOutputs>
    [[nodiscard]] bool lies_alike(const Asked<kInputs, kOutputs> &asked) const {
      const auto &distances = kChecked ? apart_ : same_;
      std::size_t pair = 0;
      for (int i = 0; i < asked.kViews; ++i) {
        const auto at = address(*asked.views[static_cast<std::size_t>(i)]);
        if (kChecked && at == 0) {
          return false;
        }
        for (int j = 0; i >= kInputs && j < i; ++j) {
          const std::uint64_t distance = at - address(*asked.views[static_cast<std::size_t>(j)]);
          if (!distances[pair++].has(distance)) {
            return false;
          }
        }
      }
      return true;
    }

    // Makes this the entry of a call with views that are not empty. `checked`: validation has
    // passed it.
    template <int kInputs, int kOutputs>
    void keep(const void *serving, const Asked<kInputs, kOutputs> &asked, bool checked) {
      serving_ = serving;
      key_ = asked.key();
      wish_ = wish_of(asked.options);
      std::size_t pair = 0;
      for (std::size_t i = 0; i < asked.views.size(); ++i) {
        const ConstView &view = *asked.views[i];
        types_[i] = type_of(view);
        geometry_[i] = {pair_at(view, 0), pair_at(view, 1), pair_at(view, 2), pair_at(view, 3)};
        for (std::size_t j = 0; i >= kInputs && j < i; ++j) {
          const std::uint64_t distance = address(view) - address(*asked.views[j]);
          same_[pair] = distance == 0 ? Distances::only(0) : Distances::all_but(0);
          apart_[pair] = checked ? good_distances(*asked.views[j], view) : Distances{};
          ++pair;
        }
      }
    }

  private:
    template <std::size_t kViews>
    [[nodiscard]] bool has_types(const std::array<const ConstView *, kViews> &views) const {
      bool same = true;
      for (std::size_t i = 0; i < kViews; ++i) {
        same = same && types_[i] == type_of(*views[i]);
      }
      return same;
    }
    // The first `kWhole` views; of the others the strides alone.
    template <int kWhole, std::size_t kViews>
    [[nodiscard]] bool has_geometry(const std::array<const ConstView *, kViews> &views) const {
      Comparison comparison;
      for (std::size_t i = 0; i < kViews; ++i) {
        const std::size_t first = i < std::size_t{kWhole} ? 0 : geometry_[i].size() / 2;
        for (std::size_t at = first; at < geometry_[i].size(); ++at) {
          comparison.add(geometry_[i][at], pair_at(*views[i], at));
        }
      }
      return comparison.all_equal();
    }

    const void *serving_ = nullptr; // never freed
    std::uint64_t key_ = std::uint64_t{kNobody} << 32;
    std::uint64_t wish_ = 0;
    std::array<std::uint16_t, kMostViews> types_{};
    std::array<Distances, kMostPairs> apart_; // between outputs and the views before them
    std::array<Distances, kMostPairs> same_;
    std::array<Geometry, kMostViews> geometry_{};
  };

  // Where such a call is kept, if it is.
  [[nodiscard]] Entry &at(int variant, const ConstView &first) {
    // Images of a pipeline differ in height if in anything.
    return entries_[(static_cast<std::size_t>(variant) +
                     static_cast<std::size_t>(first.shape[kH])) %
                    kEntries];
  }

private:
  static constexpr std::size_t kEntries = 32;
  static constexpr std::uint32_t kNobody = 0xFFFFFFFE; // the last is one that is not looked up yet

  // Threads, exactness and rounding.
  static std::uint64_t wish_of(const Options &options) {
    if constexpr (std::endian::native == std::endian::little) {
      static_assert(offsetof(Options, threads) == 0 && offsetof(Options, exactness) == 4 &&
                    offsetof(Options, rounding) == 5);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &options, sizeof bits);
      return bits << 16; // the last two bytes are padding
    }
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(options.threads)) << 32 |
           static_cast<std::uint64_t>(options.exactness) << 8 |
           static_cast<std::uint64_t>(options.rounding);
  }
  static std::uint64_t address(const ConstView &view) {
    return reinterpret_cast<std::uintptr_t>(view.data);
  }
  // Dtype and rank.
  static std::uint16_t type_of(const ConstView &view) {
    static_assert(offsetof(ConstView, rank) == offsetof(ConstView, dtype) + 1);
    std::uint16_t type = 0;
    std::memcpy(&type, reinterpret_cast<const char *>(&view) + offsetof(ConstView, dtype),
                sizeof type);
    return type;
  }
  // Views are not aligned to pairs, and no attribute of a type tells every compiler so.
  static Pair pair_at(const ConstView &view, std::size_t index) {
    static_assert(offsetof(ConstView, strides) - offsetof(ConstView, shape) == sizeof(Extents));
    Pair pair;
    std::memcpy(&pair, reinterpret_cast<const char *>(view.shape.data()) + index * sizeof pair,
                sizeof pair);
    return pair;
  }

  // Bytes [first, last) that a view touches, from its address.
  struct Reach {
    std::int64_t first;
    std::int64_t last;
  };
  static Reach reach_of(const ConstView &view) {
    Reach reach{0, size_of(view.dtype)};
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t far = (view.shape[axis] - 1) * view.strides[axis];
      (far < 0 ? reach.first : reach.last) += far;
    }
    return reach;
  }
  // Distances from `before` to `view` that are as good as the one that validation has passed: all
  // that keep their bytes apart, or else that one alone.
  static Distances good_distances(const ConstView &before, const ConstView &view) {
    const Reach a = reach_of(before);
    const Reach b = reach_of(view);
    const auto first = static_cast<std::uint64_t>(a.first - b.last + 1);
    const auto end = static_cast<std::uint64_t>(a.last - b.first);
    const Distances apart{first, end - first - 1};
    const std::uint64_t distance = address(view) - address(before);
    return apart.has(distance) ? apart : Distances::only(distance);
  }

  std::array<Entry, kEntries> entries_{};
};

} // namespace switchyard
