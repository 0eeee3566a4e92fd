// Heap use of a call, whatever allocator serves it.
#pragma once

#include <functional>
#include <optional>

#include "evidence/evidence.hpp"

namespace switchyard::measure {

// Runs the call once and returns what it asked of the C library's heap, in all threads of the
// process meanwhile: malloc and its kin, and so operator new and the allocators of libraries that
// build on either. A reallocation counts as one allocation of its new size. Blocks that the call
// releases are taken off what is live, also those from before; `peak` is 0 at least, and a
// size is what was asked for but for the few bytes to which the allocator rounds single blocks.
// Memory mapped from the system directly is not seen, nor an allocator that lives on it.
//
// nullopt where nothing counts: the program is linked without switchyard_heap_counter, or
// a sanitizer serves the heap. The call has run in any case. What it throws is passed on.
// One count at a time: calls from several threads wait for each other, and must not nest.
[[nodiscard]] std::optional<evidence::Allocations>
count_allocations(const std::function<void()> &call);

} // namespace switchyard::measure
