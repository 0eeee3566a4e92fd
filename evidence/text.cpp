#include "evidence/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::evidence {
namespace {

constexpr std::size_t kMaxToken = 64;
constexpr int kMaxSegments = 4;

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= kMaxToken &&
         std::all_of(text.begin(), text.end(), is_lower_alnum);
}

bool is_variant_name(std::string_view text) {
  if (text == "machine" || text == "incumbents") {
    return false; // its file would be machine.json, or incumbents.json
  }
  for (int segment = 0; segment < kMaxSegments; ++segment) {
    const std::size_t slash = text.find('/');
    if (!is_token(text.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(slash + 1);
  }
  return false;
}

bool is_profile_name(std::string_view text) {
  return !text.empty() && text.size() <= 2 * kMaxToken && text.front() != '.' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_alnum(c) || c == '.' || c == '-'; });
}

bool is_fact_name(std::string_view text) {
  return !text.empty() && text.size() <= 2 * kMaxToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result(text.substr(0, limit));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > limit ? result + "..." : result;
}

std::string json_string(std::string_view text) {
  using nlohmann::json;
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_number(double value) {
  const double rounded = round_to_four_digits(value);
  const double magnitude = std::fabs(rounded);
  // Plain notation where people read it at a glance; both forms are the shortest that give the
  // same double back.
  const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude <= 1e15);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, rounded,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {text, end.ptr};
}

void Source::fail(std::string_view pointer, std::string_view what) const {
  std::string place = printable(pointer, 200);
  std::string fault = printable(what, 300);
  const std::string line =
      printable(name_, 4096) + ": " + (place.empty() ? "" : place + ": ") + fault;
  throw FaultError(line, std::move(place), std::move(fault));
}

} // namespace switchyard::evidence
