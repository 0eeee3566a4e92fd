#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evidence/evidence.hpp"
#include "evidence/rows.hpp"
#include "evidence/text.hpp"

namespace switchyard::evidence {
namespace {

constexpr std::size_t kParts = 7;

[[noreturn]] void refuse(std::string_view key, std::string_view what) {
  throw std::invalid_argument(fmt::format("cell \"{}\": {}", printable(key), printable(what, 160)));
}

std::array<std::string_view, kParts> split(std::string_view key) {
  std::array<std::string_view, kParts> parts;
  std::string_view rest = key;
  for (std::size_t i = 0; i + 1 < kParts; ++i) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) {
      refuse(key, "accepted: <dtype> <shape> <layout> <output> <cache> t<threads> <params>");
    }
    parts[i] = rest.substr(0, space);
    rest.remove_prefix(space + 1);
  }
  parts[kParts - 1] = rest;
  return parts;
}

// A decimal integer from 0 to `limit` without sign or leading zeros; −1 where it is not one.
std::int64_t parse_count(std::string_view text, std::int64_t limit) {
  std::int64_t value = -1;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool canonical = !text.empty() && (text.size() == 1 || text[0] != '0') && text[0] != '-';
  return error == std::errc() && rest == end && canonical && value <= limit ? value : -1;
}

std::vector<std::int64_t> parse_shape(std::string_view key, std::string_view text) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> shape;
  // Zero extents count as 1 here, so that every partial product fits, in any order of the axes.
  std::int64_t product = 1;
  for (bool more = true; more;) {
    const std::size_t cross = text.find('x');
    const std::int64_t extent = parse_count(text.substr(0, cross), kLimit);
    if (extent < 0 || shape.size() == 4) {
      refuse(key, "the shape is not 3 or 4 non-negative integers joined by x");
    }
    if (std::max<std::int64_t>(extent, 1) > kLimit / product) {
      refuse(key, "the shape has more elements than a 64-bit integer counts");
    }
    product *= std::max<std::int64_t>(extent, 1);
    shape.push_back(extent);
    more = cross != std::string_view::npos;
    text.remove_prefix(more ? cross + 1 : text.size());
  }
  if (shape.size() < 3) {
    refuse(key, "the shape is not 3 or 4 non-negative integers joined by x");
  }
  return shape;
}

std::string parse_token(std::string_view key, std::string_view text, std::string_view what) {
  if (!is_token(text)) {
    refuse(key, fmt::format("{} \"{}\"; accepted: [a-z0-9_]+", what, text));
  }
  return std::string(text);
}

std::string parse_name(std::string_view key, std::string_view text, std::string_view what,
                       std::span<const std::string_view> names) {
  if (rank_of(text, names) == names.size()) {
    refuse(key, fmt::format("{} \"{}\"; accepted: {}", what, text, fmt::join(names, ", ")));
  }
  return std::string(text);
}

} // namespace

std::string Cell::key() const {
  return fmt::format("{} {} {} {} {} t{} {}", dtype, fmt::join(shape, "x"), layout, output, cache,
                     thread_budget, params);
}

std::int64_t Cell::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    product *= extent;
  }
  return product;
}

std::int64_t Cell::channels() const {
  return shape.empty() ? 0 : shape.back();
}

Cell Cell::parse(std::string_view key) {
  const auto parts = split(key);
  Cell cell;
  cell.dtype = parse_token(key, parts[0], "dtype");
  cell.shape = parse_shape(key, parts[1]);
  cell.layout = parse_name(key, parts[2], "layout", kLayoutNames);
  cell.output = parse_name(key, parts[3], "output", kOutputNames);
  cell.cache = parse_name(key, parts[4], "cache", kCacheNames);
  const bool marked = parts[5].starts_with('t');
  const std::int64_t threads = marked ? parse_count(parts[5].substr(1), kMaxThreads) : -1;
  if (threads < 1) {
    refuse(key, fmt::format("thread budget \"{}\"; accepted: t1 to t{}", parts[5], kMaxThreads));
  }
  cell.thread_budget = static_cast<int>(threads);
  cell.params = parse_token(key, parts[6], "params");
  return cell;
}

} // namespace switchyard::evidence
