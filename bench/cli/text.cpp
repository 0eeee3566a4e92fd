#include "bench/cli/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace switchyard::cli {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; // not inside a character
  }));
}

std::string padded(std::string_view text, std::size_t columns) {
  std::string result(text);
  result.append(columns - std::min(columns, columns_of(text)), ' ');
  return result;
}

std::string wrapped(std::string_view lead, std::string_view text, std::size_t hang) {
  const std::size_t indent = columns_of(lead) + hang;
  std::string result(lead);
  std::size_t column = columns_of(lead);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t width = columns_of(word);
    if (!first && column + 1 + width > kColumns) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width;
    first = false;
  }
  return result + '\n';
}

std::string time_text(double ns) {
  constexpr std::array<std::string_view, 3> kUnits = {"ns", "µs", "ms"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  const int digits = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", ns, digits, kUnits[unit]);
}

std::string bytes_text(std::int64_t bytes) {
  constexpr double kKibi = 1024;
  const auto value = static_cast<double>(bytes);
  return bytes < 1024            ? fmt::format("{} B", bytes)
         : value < kKibi * kKibi ? fmt::format("{:.1f} KiB", value / kKibi)
                                 : fmt::format("{:.1f} MiB", value / kKibi / kKibi);
}

} // namespace switchyard::cli
