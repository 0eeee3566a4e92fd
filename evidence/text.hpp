// Names, numbers and messages as the files of a profile spell them. Internal to evidence/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evidence/evidence.hpp"

namespace switchyard::evidence {

inline constexpr int kMaxThreads = 1024;

// [a-z0-9_]+ of at most 64 characters: candidate ids, dtype cases, parameter sets.
[[nodiscard]] bool is_token(std::string_view text);
// Up to four tokens joined by '/'. The name becomes a path, so nothing else may pass.
[[nodiscard]] bool is_variant_name(std::string_view text);
// [a-z0-9_.-]+ that does not start with a dot: "x86_64-amd-zen3-2c".
[[nodiscard]] bool is_profile_name(std::string_view text);
// Non-empty printable ASCII: the names of groups of facts and of facts.
[[nodiscard]] bool is_fact_name(std::string_view text);

// `text` as printable ASCII on one line, cut at `limit` characters: untrusted text in a message.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);
// A JSON string; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);
// A finite number with at most four significant digits and no superfluous ones: "12340",
// "0.75", "1". The same in every locale.
[[nodiscard]] std::string json_number(double value);

// An EvidenceError that still knows its parts.
class FaultError : public EvidenceError {
public:
  FaultError(const std::string &line, std::string pointer, std::string what)
      : EvidenceError(line), pointer_(std::move(pointer)), what_(std::move(what)) {}
  [[nodiscard]] const std::string &pointer() const { return pointer_; }
  [[nodiscard]] const std::string &fault() const { return what_; }

private:
  std::string pointer_;
  std::string what_;
};

// Where data came from: the start of every message about it.
class Source {
public:
  explicit Source(std::string name) : name_(std::move(name)) {}
  // Throws FaultError "<name>: <pointer>: <what>"; an empty pointer (the whole file) is left
  // out together with its colon.
  [[noreturn]] void fail(std::string_view pointer, std::string_view what) const;

private:
  std::string name_;
};

} // namespace switchyard::evidence
