// JSON text of unknown origin, read with errors that point at the place. Internal to evidence/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "evidence/text.hpp"

namespace switchyard::evidence {

// `pointer` extended by a member's name, escaped as RFC 6901 asks.
[[nodiscard]] std::string join_pointer(std::string_view pointer, std::string_view name);

// Throws EvidenceError for text that is not JSON, is nested deeper than a profile's files are, or
// repeats a name in an object (of which a parser would silently keep one).
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const Source &source);

// The members of one JSON object. Every reader throws EvidenceError with the member's pointer.
class Members {
public:
  Members(const nlohmann::json &object, std::string pointer, const Source &source);

  [[nodiscard]] bool has(std::string_view name) const { return object_.contains(name); }
  [[nodiscard]] std::string pointer(std::string_view name) const;
  [[nodiscard]] const nlohmann::json &at(std::string_view name) const;
  [[nodiscard]] const std::string &text(std::string_view name) const;
  [[nodiscard]] int integer(std::string_view name) const;
  [[nodiscard]] std::int64_t whole(std::string_view name) const; // 64 bits
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] const nlohmann::json &array(std::string_view name) const;
  void allow_only(std::initializer_list<std::string_view> names) const;
  [[noreturn]] void fail(std::string_view name, std::string_view what) const;
  // As fail, for an element of the array `name`.
  [[noreturn]] void fail_in(std::string_view name, std::size_t index, std::string_view what) const;

private:
  const nlohmann::json &object_;
  std::string pointer_;
  const Source &source_;
};

} // namespace switchyard::evidence
