#include "bench/measure/rotation.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace switchyard::measure {
namespace {

constexpr std::int64_t kPage = 4096;

// Lowest and one past the highest byte of a view's elements, relative to element (0, 0, 0, 0).
std::pair<std::int64_t, std::int64_t> reach_of(const ConstView &view) {
  if (view.empty()) {
    return {0, 0};
  }
  std::int64_t low = 0;
  std::int64_t high = size_of(view.dtype);
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] > 1) {
      const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? low : high) += reach;
    }
  }
  return {low, high};
}

// Whole pages that hold `bytes` at any page offset.
std::int64_t pages_for(std::int64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage + kPage;
}

template <class V, std::size_t N> std::int64_t bytes_of(const std::array<const V *, N> &views) {
  std::int64_t bytes = 0;
  for (const V *view : views) {
    bytes += view == nullptr ? 0 : static_cast<std::int64_t>(memory_of(*view).size());
  }
  return bytes;
}

template <class V, std::size_t N> std::int64_t room_for(const std::array<const V *, N> &views) {
  std::int64_t bytes = 0;
  for (const V *view : views) {
    bytes += view == nullptr ? 0 : pages_for(static_cast<std::int64_t>(memory_of(*view).size()));
  }
  return bytes;
}

} // namespace

std::span<const std::byte> memory_of(const ConstView &view) {
  const auto [low, high] = reach_of(view);
  return {static_cast<const std::byte *>(view.data) + low, static_cast<std::size_t>(high - low)};
}

std::span<std::byte> memory_of(const View &view) {
  const auto [low, high] = reach_of(view);
  return {static_cast<std::byte *>(view.mutable_data()) + low,
          static_cast<std::size_t>(high - low)};
}

struct Rotation::Copy {
  Call call;
  std::array<ConstView, 3> in;
  std::array<View, 2> out;
  std::array<std::byte *, 2> out_room{}; // page-aligned
};

void Rotation::Free::operator()(std::byte *memory) const {
  std::free(memory);
}

Rotation::Rotation(const Call &call, std::int64_t least_bytes, std::int64_t most_bytes) {
  const std::int64_t used = std::max<std::int64_t>(bytes_of(call.in) + bytes_of(call.out), 1);
  const std::int64_t room = std::max<std::int64_t>(room_for(call.in) + room_for(call.out), kPage);
  // The call in hand and the others, which separate its uses.
  const std::int64_t wanted = 1 + (least_bytes + used - 1) / used;
  const auto copies =
      static_cast<std::size_t>(std::max<std::int64_t>(2, std::min(wanted, most_bytes / room)));
  memory_.reset(
      static_cast<std::byte *>(std::aligned_alloc(kPage, copies * static_cast<std::size_t>(room))));
  if (memory_ == nullptr) {
    throw std::bad_alloc();
  }
  // Every page is touched here: its first use is no part of a measurement.
  std::memset(memory_.get(), 0, copies * static_cast<std::size_t>(room));
  copies_.resize(copies);
  std::byte *at = memory_.get();
  for (Copy &copy : copies_) {
    copy.call = call;
    for (std::size_t i = 0; i < call.in.size(); ++i) {
      if (call.in[i] != nullptr) {
        const std::span<const std::byte> from = memory_of(*call.in[i]);
        std::copy(from.begin(), from.end(), at);
        copy.in[i] = *call.in[i];
        copy.in[i].data = at - reach_of(*call.in[i]).first;
        copy.call.in[i] = &copy.in[i];
        at += pages_for(static_cast<std::int64_t>(from.size()));
      }
    }
    for (std::size_t o = 0; o < call.out.size(); ++o) {
      if (call.out[o] != nullptr) {
        copy.out[o] = *call.out[o];
        copy.out_room[o] = at;
        copy.call.out[o] = &copy.out[o];
        at += pages_for(static_cast<std::int64_t>(memory_of(*call.out[o]).size()));
      }
    }
  }
  set_output_offset(0);
}

Rotation::~Rotation() = default;

void Rotation::set_output_offset(std::int64_t bytes) {
  for (Copy &copy : copies_) {
    for (std::size_t o = 0; o < copy.out.size(); ++o) {
      if (copy.out_room[o] != nullptr) {
        copy.out[o].data = copy.out_room[o] + bytes - reach_of(copy.out[o]).first;
      }
    }
  }
}

std::size_t Rotation::copies() const {
  return copies_.size();
}

const Call &Rotation::next() {
  const Call &call = copies_[next_].call;
  next_ = (next_ + 1) % copies_.size();
  return call;
}

} // namespace switchyard::measure
