#include "bench/cli/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace switchyard::cli {

std::optional<int> number_of(std::string_view text, int most) {
  int value = 0;
  const char *const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc() && last == end && value >= 1 && value <= most;
  return good ? std::optional(value) : std::nullopt;
}

std::vector<int> threads_of(std::string_view list) {
  std::vector<int> threads;
  for (std::size_t from = 0; !list.empty() && from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    const std::string_view item = list.substr(from, comma - from);
    const std::optional<int> number = number_of(item, 1024);
    if (!number) {
      throw std::invalid_argument(
          fmt::format("--threads {}: \"{}\" is no number of threads from 1 to 1024", list, item));
    }
    threads.push_back(*number);
    from = comma + 1;
  }
  return threads;
}

} // namespace switchyard::cli
