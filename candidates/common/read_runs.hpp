// Walks one view for reading, in whatever order its memory prefers: for reductions that do not
// depend on the order of their operands.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "candidates/common/runs.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::candidates {

// The same elements with no negative stride on X, H and W; nor on C, where channels do not matter.
inline ConstView forward(ConstView view, bool channels_matter) {
  for (const Axis axis : {kX, kH, kW, kC}) {
    const bool may_turn = axis != kC || !channels_matter;
    if (may_turn && view.shape[axis] > 1 && view.strides[axis] < 0) {
      view = reversed(view, axis);
    }
  }
  return view;
}

// Calls body(const T *, n, RunChannels) over all elements of a non-empty view. Short, strided and
// unaligned runs are joined in a buffer on the stack, so that a kernel's cost of beginning and
// ending is paid once per some thousand elements.
template <class T> class ReadRuns {
public:
  explicit ReadRuns(const ConstView &view)
      : data_(static_cast<const std::byte *>(view.data)), plan_(plan_runs<1>({&view})) {}

  template <class Body> void operator()(Body &&body) const {
    const bool direct = is_direct();
    const bool joins = !direct && (plan_.channels == 1 || plan_.inner().has_channels);
    const auto &[outer, middle, next, inner] = plan_.axes;
    const std::int64_t next_extent = joins ? 1 : next.extent;
    std::int64_t channel = 0;
    for (std::int64_t i = 0; i < outer.extent; ++i) {
      channel = outer.has_channels ? i : channel;
      for (std::int64_t j = 0; j < middle.extent; ++j) {
        channel = middle.has_channels ? j : channel;
        for (std::int64_t k = 0; k < next_extent; ++k) {
          channel = next.has_channels ? k : channel;
          const RunChannels channels =
              inner.has_channels ? RunChannels{0, plan_.channels} : RunChannels{channel, 1};
          const std::byte *at =
              data_ + i * outer.strides[0] + j * middle.strides[0] + k * next.strides[0];
          if (direct) {
            body(reinterpret_cast<const T *>(at), inner.extent, channels);
          } else {
            staged(at, joins ? next.extent : 1, channels, body);
          }
        }
      }
    }
  }

private:
  static constexpr std::int64_t kStaged = 8192;

  [[nodiscard]] bool is_direct() const {
    const auto &inner = plan_.inner();
    std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(data_);
    for (const auto &axis : plan_.axes) {
      bits |= static_cast<std::uintptr_t>(axis.strides[0]);
    }
    return bits % alignof(T) == 0 && (inner.extent == 1 || inner.strides[0] == sizeof(T)) &&
           (plan_.rank <= 1 || inner.extent >= kStaged / 2);
  }

  // Reads `rows` × the innermost axis through the buffer.
  template <class Body>
  void staged(const std::byte *at, std::int64_t rows, RunChannels channels, Body &body) const {
    std::array<T, kStaged> buffer;
    const auto &inner = plan_.inner();
    std::int64_t filled = 0;
    std::int64_t channel = channels.first; // of the buffer's first element
    const auto flush = [&] {
      body(static_cast<const T *>(buffer.data()), filled, RunChannels{channel, channels.period});
      channel = channels.period == 1 ? channel : (channel + filled) % channels.period;
      filled = 0;
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::byte *from = at + row * plan_.axes[2].strides[0];
      for (std::int64_t k = 0; k < inner.extent;) {
        const std::int64_t count = std::min(inner.extent - k, kStaged - filled);
        copy(from + k * inner.strides[0], inner.strides[0], buffer.data() + filled, count);
        filled += count;
        k += count;
        if (filled == kStaged) {
          flush();
        }
      }
    }
    if (filled > 0) {
      flush();
    }
  }

  static void copy(const std::byte *from, std::int64_t stride, T *to, std::int64_t n) {
    if (stride == sizeof(T)) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    } else {
      detail::gather(from, stride, to, n);
    }
  }

  const std::byte *data_;
  RunPlan<1> plan_;
};

} // namespace switchyard::candidates
