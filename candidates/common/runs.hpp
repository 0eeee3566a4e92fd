// Walks strided views as one-dimensional runs, so that a pointwise kernel needs no strides.
//
// Axes are ordered by the output's strides and merged where every view allows it. A contiguous
// image is a single run; rows of a crop are one run each; planar memory gives one run per channel.
// Where the innermost axis is not contiguous and aligned in some view, its elements pass through
// small buffers on the stack: the kernel still sees dense, aligned data, and arithmetic stays
// vectorised for any stride.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

#include "switchyard/core/view.hpp"

namespace switchyard::candidates {

// Element k of a run belongs to channel `first` where `period` is 1, else to channel
// (first + k) mod period.
struct RunChannels {
  std::int64_t first = 0;
  std::int64_t period = 1;
};

// The merged axes of `V` views of one shape, the innermost last; unused axes have extent 1.
template <std::size_t V> struct RunPlan {
  struct LoopAxis {
    std::int64_t extent = 1;
    std::array<std::int64_t, V> strides{};
    bool has_channels = false; // C is this axis, or its innermost part
  };
  std::array<LoopAxis, 4> axes{};
  int rank = 0; // axes in use
  std::int64_t channels = 1;

  [[nodiscard]] const LoopAxis &inner() const { return axes[3]; }
};

// Axes in the order of falling distance between the output's elements; equal ones as they are.
inline std::array<int, 4> axis_order(const ConstView &lead) {
  std::array<int, 4> order{kX, kH, kW, kC};
  const auto distance = [&](int axis) {
    return lead.strides[axis] < 0 ? -lead.strides[axis] : lead.strides[axis];
  };
  for (int i = 1; i < 4; ++i) { // insertion sort: stable, and mostly sorted already
    for (int j = i; j > 0 && distance(order[j - 1]) < distance(order[j]); --j) {
      std::swap(order[j - 1], order[j]);
    }
  }
  return order;
}

template <std::size_t V> RunPlan<V> plan_runs(const std::array<const ConstView *, V> &views) {
  RunPlan<V> plan;
  const ConstView &lead = *views[V - 1];
  plan.channels = lead.shape[kC];
  const std::array<int, 4> order = axis_order(lead);
  int next = 3; // the slot that the next axis fills, from the innermost outwards
  for (int i = 3; i >= 0; --i) {
    const int axis = order[i];
    if (lead.shape[axis] == 1) {
      continue;
    }
    // C cannot join an inner axis, since the channel would change within its elements, and nothing
    // may join a C that is not the innermost: its index is the channel.
    bool merges = next < 3 && axis != kC && (next == 2 || !plan.axes[next + 1].has_channels);
    for (std::size_t v = 0; v < V && merges; ++v) {
      const auto &within = plan.axes[next + 1];
      merges = views[v]->strides[axis] == within.strides[v] * within.extent;
    }
    if (merges) {
      plan.axes[next + 1].extent *= lead.shape[axis];
      continue;
    }
    auto &slot = plan.axes[next--];
    slot.extent = lead.shape[axis];
    slot.has_channels = axis == kC;
    for (std::size_t v = 0; v < V; ++v) {
      slot.strides[v] = views[v]->strides[axis];
    }
  }
  plan.rank = 3 - next;
  return plan;
}

namespace detail {

inline constexpr std::int64_t kStagedElements = 1024;

template <class T> bool aligned(const std::byte *address) {
  return reinterpret_cast<std::uintptr_t>(address) % alignof(T) == 0;
}

inline bool contiguous(const ConstView &view, std::int64_t size) {
  const std::int64_t pixel = size * view.shape[kC];
  const std::int64_t row = pixel * view.shape[kW];
  const auto fits = [&](Axis axis, std::int64_t stride) {
    return view.strides[axis] == stride || view.shape[axis] <= 1;
  };
  return fits(kC, size) && fits(kW, pixel) && fits(kH, row) && fits(kX, row * view.shape[kH]);
}

// Every kStep-th element, a distance that the compiler knows: it may then read vectors.
template <std::int64_t kStep, class T>
void gather_every(const std::byte *from, T *to, std::int64_t n) {
  const T *in = reinterpret_cast<const T *>(from);
  for (std::int64_t k = 0; k < n; ++k) {
    to[k] = in[k * kStep];
  }
}

// Elements `stride` bytes apart, four at a time: their addresses don't wait for each other.
template <class T> void gather(const std::byte *from, std::int64_t stride, T *to, std::int64_t n) {
  constexpr std::int64_t kSize = sizeof(T);
  if (kSize > 1 && aligned<T>(from) && stride == 3 * kSize) {
    return gather_every<3>(from, to, n);
  }
  if (kSize > 1 && aligned<T>(from) && stride == 4 * kSize) {
    return gather_every<4>(from, to, n);
  }
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4, from += 4 * stride) {
    std::memcpy(to + k, from, sizeof(T));
    std::memcpy(to + k + 1, from + stride, sizeof(T));
    std::memcpy(to + k + 2, from + 2 * stride, sizeof(T));
    std::memcpy(to + k + 3, from + 3 * stride, sizeof(T));
  }
  for (; k < n; ++k, from += stride) {
    std::memcpy(to + k, from, sizeof(T));
  }
}
template <class T> void scatter(const T *from, std::byte *to, std::int64_t stride, std::int64_t n) {
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4, to += 4 * stride) {
    std::memcpy(to, from + k, sizeof(T));
    std::memcpy(to + stride, from + k + 1, sizeof(T));
    std::memcpy(to + 2 * stride, from + k + 2, sizeof(T));
    std::memcpy(to + 3 * stride, from + k + 3, sizeof(T));
  }
  for (; k < n; ++k, to += stride) {
    std::memcpy(to, from + k, sizeof(T));
  }
}

} // namespace detail

// Calls body(const In *..., Out *, n, RunChannels) over all elements of `out` and the inputs of
// the same shape. The output may be the same view as an input.
template <class Out, class... In> class Runs {
public:
  static constexpr std::size_t kViews = sizeof...(In) + 1;

  explicit Runs(const std::array<const ConstView *, kViews> &views) {
    for (std::size_t v = 0; v < kViews; ++v) {
      base_[v] = static_cast<const std::byte *>(views[v]->data);
    }
    const ConstView &lead = *views[kViews - 1];
    empty_ = lead.empty();
    if (is_one_run(views, kAllViews)) { // as planning would find out, for most calls
      plan_.axes[3].extent = lead.elements();
      plan_.axes[3].has_channels = true;
      plan_.channels = lead.channels();
      one_run_ = true;
      return;
    }
    plan_ = plan_runs(views);
    dense_ = is_dense(kAllViews);
    // Two inner axes are staged together, so that pixels of few channels fill a buffer.
    stages_two_ = plan_.channels == 1 || plan_.inner().has_channels;
  }

  template <class Body> void operator()(Body &&body) const {
    if (empty_) {
      return;
    }
    if (one_run_) {
      return dense_run(base_, 0, body);
    }
    const auto &[outer, middle, next, inner] = plan_.axes;
    const std::int64_t next_extent = !dense_ && stages_two_ ? 1 : next.extent;
    std::int64_t channel = 0;
    for (std::int64_t i = 0; i < outer.extent; ++i) {
      channel = outer.has_channels ? i : channel;
      for (std::int64_t j = 0; j < middle.extent; ++j) {
        channel = middle.has_channels ? j : channel;
        for (std::int64_t k = 0; k < next_extent; ++k) {
          channel = next.has_channels ? k : channel;
          Pointers at = base_;
          for (std::size_t v = 0; v < kViews; ++v) {
            at[v] += i * outer.strides[v] + j * middle.strides[v] + k * next.strides[v];
          }
          dense_ ? dense_run(at, channel, body) : staged_run(at, channel, body);
        }
      }
    }
  }

private:
  using Pointers = std::array<const std::byte *, kViews>;
  template <std::size_t V> using TypeAt = std::tuple_element_t<V, std::tuple<In..., Out>>;
  using Buffers = std::tuple<std::array<In, detail::kStagedElements>...,
                             std::array<Out, detail::kStagedElements>>;
  static constexpr std::make_index_sequence<kViews> kAllViews{};
  static constexpr std::make_index_sequence<sizeof...(In)> kInputs{};

  // Whether every view is contiguous and aligned to its elements.
  template <std::size_t... V>
  static bool is_one_run(const std::array<const ConstView *, kViews> &views,
                         std::index_sequence<V...>) {
    return ((detail::contiguous(*views[V], sizeof(TypeAt<V>)) &&
             detail::aligned<TypeAt<V>>(static_cast<const std::byte *>(views[V]->data))) &&
            ...);
  }

  // Short runs cost more than a copy through the buffers.
  static constexpr std::int64_t kShortestDirectRun = 32;

  template <std::size_t... V> bool is_dense(std::index_sequence<V...>) const {
    const auto &inner = plan_.inner();
    return (plan_.rank <= 1 || inner.extent >= kShortestDirectRun) &&
           ((inner.extent == 1 || inner.strides[V] == sizeof(TypeAt<V>)) && ...) &&
           (is_aligned_to<TypeAt<V>>(V) && ...);
  }
  template <class T> bool is_aligned_to(std::size_t v) const {
    std::int64_t misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base_[v]) % alignof(T));
    for (const auto &axis : plan_.axes) {
      misaligned |= axis.strides[v] % static_cast<std::int64_t>(alignof(T));
    }
    return misaligned == 0;
  }

  [[nodiscard]] RunChannels channels_of_inner(std::int64_t channel) const {
    return plan_.inner().has_channels ? RunChannels{0, plan_.channels} : RunChannels{channel, 1};
  }

  template <class Body> void dense_run(const Pointers &at, std::int64_t channel, Body &body) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      body(reinterpret_cast<const TypeAt<I> *>(at[I])...,
           reinterpret_cast<Out *>(const_cast<std::byte *>(at[kViews - 1])), plan_.inner().extent,
           channels_of_inner(channel));
    }
    (kInputs);
  }

  template <class Body>
  void staged_run(const Pointers &at, std::int64_t channel, Body &body) const {
    Buffers buffers;
    const std::int64_t total = plan_.inner().extent * (stages_two_ ? plan_.axes[2].extent : 1);
    const RunChannels whole = channels_of_inner(channel);
    for (std::int64_t done = 0; done < total; done += detail::kStagedElements) {
      const std::int64_t n = std::min(detail::kStagedElements, total - done);
      const RunChannels part{whole.period == 1 ? whole.first : done % whole.period, whole.period};
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (load<I>(at, done, n, buffers), ...);
        body(static_cast<const TypeAt<I> *>(std::get<I>(buffers).data())...,
             std::get<kViews - 1>(buffers).data(), n, part);
      }
      (kInputs);
      store(at, done, n, buffers);
    }
  }

  template <std::size_t V>
  void load(const Pointers &at, std::int64_t done, std::int64_t n, Buffers &buffers) const {
    TypeAt<V> *to = std::get<V>(buffers).data();
    pieces(V, done, n, [&](std::int64_t offset, std::int64_t k, std::int64_t count) {
      detail::gather(at[V] + offset, plan_.inner().strides[V], to + k, count);
    });
  }
  void store(const Pointers &at, std::int64_t done, std::int64_t n, const Buffers &buffers) const {
    constexpr std::size_t kOut = kViews - 1;
    const Out *from = std::get<kOut>(buffers).data();
    pieces(kOut, done, n, [&](std::int64_t offset, std::int64_t k, std::int64_t count) {
      detail::scatter(from + k, const_cast<std::byte *>(at[kOut]) + offset,
                      plan_.inner().strides[kOut], count);
    });
  }

  // Splits elements [done, done + n) of the staged axes into pieces of the innermost axis:
  // each(byte offset, first element, number of elements).
  template <class Each>
  void pieces(std::size_t view, std::int64_t done, std::int64_t n, Each &&each) const {
    const auto &inner = plan_.inner();
    const std::int64_t outer_stride = stages_two_ ? plan_.axes[2].strides[view] : 0;
    std::int64_t outer = done / inner.extent;
    std::int64_t from = done % inner.extent;
    for (std::int64_t k = 0; k < n; ++outer, from = 0) {
      const std::int64_t count = std::min(inner.extent - from, n - k);
      each(outer * outer_stride + from * inner.strides[view], k, count);
      k += count;
    }
  }

  RunPlan<kViews> plan_;
  Pointers base_{};
  bool empty_ = false;
  bool one_run_ = false;
  bool dense_ = false;
  bool stages_two_ = false;
};

} // namespace switchyard::candidates
