// Buffers of images: the pool as its users inside the library see it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "switchyard/pool.hpp"

namespace switchyard::pool {

// Memory for `bytes` bytes, aligned to 64, with any content. In steady state it is some that was
// released before, and nothing touches the heap. Throws std::bad_alloc where even an empty pool
// leaves too little.
[[nodiscard]] void *acquire(std::size_t bytes);

// Takes back what acquire() gave for as many bytes; nullptr is nothing. Until it is acquired again,
// the address sanitizer reports whoever reads it.
void release(void *memory, std::size_t bytes) noexcept;

// Bytes of the buffer that serves a request: at most a quarter, or 64 bytes, more.
[[nodiscard]] std::size_t capacity_of(std::size_t bytes) noexcept;

// What a text in SWITCHYARD_POOL means; nullopt: it is wrong.
[[nodiscard]] std::optional<std::size_t> parse_limit(std::string_view text);

} // namespace switchyard::pool
