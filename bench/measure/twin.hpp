// The traffic twin of a problem: moves the bytes that every implementation has to move, in the
// order that memory likes best, and computes nothing. No correct candidate is faster, beyond noise.
//
// Inputs: each cache line that holds an element is read once. Elements less than a line apart count
// as the run that encloses them, since their lines have to be fetched anyway; axes of stride 0
// count once. Outputs: each element is written once, with stores that touch no other byte, so that
// gaps, canaries and other threads' bands stay as they are. In place, the buffer is read and
// rewritten.
#pragma once

#include <cstdint>
#include <span>

#include "switchyard/core/candidate.hpp"

namespace switchyard::measure {

enum class Stores : std::uint8_t {
  ordinary,
  streaming, // past the caches, where an output is dense
};

// Moves the call's bytes. Returns whether any byte that was read is not 0: the proof that none is
// left out. Outputs get arbitrary finite values. Allocates nothing.
bool move_traffic(const Call &call, Stores stores);

// Reads the call's outputs as move_traffic() reads inputs, and returns the same: what the next op
// would do first.
bool read_outputs(const Call &call);

// Bytes of distinct elements that a call reads and writes at least.
struct Moved {
  std::int64_t read = 0;
  std::int64_t written = 0;
  friend bool operator==(const Moved &, const Moved &) = default;
};
[[nodiscard]] Moved moved_by(const Call &call);

// The twins as rows that an executor runs, whole or in bands of rows: ids "twin" (ordinary stores)
// and "twin_stream". They have no backend, accept every problem of up to three inputs and two
// outputs, and belong to no table: they are measured, never routed.
[[nodiscard]] std::span<const Candidate> twins();

// Those of them that differ for this call: one alone where the outputs are a few numbers.
[[nodiscard]] std::span<const Candidate> twins_of(const Call &call);

} // namespace switchyard::measure
