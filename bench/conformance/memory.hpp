// Guarded memory of one array: where a view's elements lie, and the canary bytes around them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "switchyard/core/contract.hpp"
#include "switchyard/core/route_table.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::conformance {

// How an array is to lie in memory.
struct Placement {
  LayoutClass layout = LayoutClass::contiguous;
  bool unaligned = false;
  bool may_repeat = false; // for reading only: strides of 0 are allowed
  std::uint64_t seed = 1;  // chooses among the forms of a class, such as the axis that is reversed
  // The usual form instead: a crop with three pixels beside it, an image upside down, one channel
  // of three. An output is then reversed in no axis: it is the view of the input that callers flip.
  bool typical = false;
  bool output = false;
};

// Strides in bytes of an array of this shape in a layout class. Axes of length 1, whose strides
// are ignored, get arbitrary ones for some seeds.
[[nodiscard]] Extents strides_of(const Extents &shape, std::int64_t element_size,
                                 const Placement &placement);

// Memory for the elements of one view, between two guards. The guards and the gaps between the
// elements are the canaries.
class GuardedMemory {
public:
  static constexpr std::int64_t kGuard = 256; // more than the widest vector, on either side

  // `view` gives shape, strides, dtype and rank; its data pointer is not used.
  GuardedMemory(const ConstView &view, bool unaligned);

  [[nodiscard]] const View &view() const { return view_; }
  // Guards included.
  [[nodiscard]] std::span<std::byte> region() const;
  // Moves the elements to another offset within a page; contents are lost.
  void place(std::int64_t page_offset);

  // Where an offset into region() lies: "4 bytes after the end", "an element", …
  [[nodiscard]] std::string describe(std::int64_t offset) const;
  // The index of the element that this byte belongs to, as "(x, h, w, c)"; empty: a canary.
  [[nodiscard]] std::string element_at(std::int64_t offset) const;

  // Under AddressSanitizer, lets instrumented code touch the guard after the elements or not.
  void forbid_end(bool forbid) const;

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };
  std::unique_ptr<std::byte, Free> storage_;
  View view_;
  std::int64_t front_ = 0; // bytes from the region's start to the lowest element
  std::int64_t first_ = 0; // from there to element (0, 0, 0, 0)
  std::int64_t span_ = 0;  // bytes from the lowest element to the end of the highest
  std::int64_t page_offset_ = 0;
};

// Bytes that depend on their position and the seed, so that no shifted copy looks untouched.
void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed);

// Copies the elements of a view to one of the same shape and dtype.
void copy_elements(const ConstView &from, const View &to);

// Draws the harness's default distribution: u8 over its whole range with many extremes; floats
// around [-2, 2] with some larger ones. `special` mixes in NaN, ±Inf, −0, subnormals, the largest
// finite values and rounding boundaries.
void fill_default(const View &view, bool special, Random &random);

// A well-mixed 64-bit function of its argument (splitmix64).
[[nodiscard]] std::uint64_t mix(std::uint64_t value);

} // namespace switchyard::conformance
