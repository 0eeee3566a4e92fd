#include "bench/measure/traffic_count.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace switchyard::measure {
namespace {

// The words of the first line that begins with `key`.
std::vector<std::string_view> words_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(key)) {
      continue;
    }
    line.remove_prefix(key.size());
    std::vector<std::string_view> words;
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line.empty()) {
        return words;
      }
      words.push_back(line.substr(0, line.find(' ')));
      line.remove_prefix(words.back().size());
    }
  }
  throw std::invalid_argument(fmt::format("no line begins with \"{}\"", key));
}

class Totals {
public:
  explicit Totals(std::string_view text)
      : events_(words_after(text, "events:")), totals_(words_after(text, "totals:")) {}

  // Trailing zeros are left out by callgrind.
  [[nodiscard]] std::int64_t operator[](std::string_view event) const {
    const auto found = std::find(events_.begin(), events_.end(), event);
    if (found == events_.end()) {
      throw std::invalid_argument(fmt::format("event {} was not counted", event));
    }
    const auto i = static_cast<std::size_t>(found - events_.begin());
    if (i >= totals_.size()) {
      return 0;
    }
    std::int64_t value = -1;
    const char *end = totals_[i].data() + totals_[i].size();
    if (std::from_chars(totals_[i].data(), end, value).ptr != end || value < 0) {
      throw std::invalid_argument(fmt::format("\"{}\" is no count of {}", totals_[i], event));
    }
    return value;
  }

private:
  std::vector<std::string_view> events_;
  std::vector<std::string_view> totals_;
};

bool is_close(double declared, double counted) {
  return std::fabs(declared - counted) <= std::max(0.5, 0.05 * declared);
}

} // namespace

LineCounts parse_callgrind(std::string_view text) {
  const Totals totals(text);
  // A miss that replaces a changed line writes that line back.
  return {totals["DLmr"], totals["ILdmr"] + totals["DLdmr"] + totals["DLdmw"]};
}

std::int64_t parse_instructions(std::string_view text) {
  return Totals(text)["Ir"];
}

std::string read_dump(const std::string &name, int number) {
  const std::string file = fmt::format("{}.{}", name, number);
  std::ifstream stream(file);
  if (!stream) {
    throw std::runtime_error(file + ": callgrind wrote no such file");
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

CountedTraffic passes_of(const LineCounts &lines, const Call &call) {
  constexpr std::int64_t kFew = 16; // as many times smaller than the input: a few numbers
  const std::int64_t in = call.in[0]->elements() * size_of(call.in[0]->dtype);
  const std::int64_t out = call.out[0]->elements() * size_of(call.out[0]->dtype);
  const std::int64_t write_unit = out * kFew < in ? in : out;
  return {static_cast<double>(lines.read * kCacheLine) / static_cast<double>(in),
          static_cast<double>(lines.written * kCacheLine) / static_cast<double>(write_unit)};
}

bool agrees(const Traffic &declared, const CountedTraffic &counted) {
  return is_close(declared.reads, counted.reads) && is_close(declared.writes, counted.writes);
}

} // namespace switchyard::measure
