// Text for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::cli {

inline constexpr std::size_t kColumns = 80;

// How many columns UTF-8 text takes; every character is one column wide.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// `text` filled up with spaces to this many columns.
[[nodiscard]] std::string padded(std::string_view text, std::size_t columns);

// Lines of at most kColumns columns, broken at spaces: the first begins with `lead`, the others
// with as many spaces as `lead` has columns and `hang` more. A word that is longer has a line of
// its own, whole, so that it can be copied. Ends in a newline.
[[nodiscard]] std::string wrapped(std::string_view lead, std::string_view text,
                                  std::size_t hang = 0);

// "18.4 µs" of nanoseconds: three digits and a unit.
[[nodiscard]] std::string time_text(double ns);

// "37.5 KiB"
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

} // namespace switchyard::cli
