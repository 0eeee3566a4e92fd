// What a module built from another revision hands over: its candidates in plain rows.
//
// This header is compiled on both sides, each with its own revision's core headers, so it names
// nothing of them but Call, and rows do not change when Candidate or Variant do. What both sides
// must agree on are the structs that a run function reads; `layout` describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace switchyard {
struct Call;
}

namespace switchyard::against {

inline constexpr std::size_t kModuleDtypes = 16; // dtype cases that a row has room for

struct ModuleCandidate {
  std::string_view variant;
  std::string_view id;
  int version = 1;
  std::uint8_t split = 0;                               // Split
  std::array<std::string_view, kModuleDtypes> dtypes{}; // names of the variant's dtype cases
  std::array<std::uint8_t, kModuleDtypes> exactness{};  // Exactness by dtype case
  const char *(*domain)(const Call &) = nullptr;        // nullptr: accepts everything
  void (*run)(const Call &) = nullptr;                  // never nullptr
};

struct ModuleTable {
  std::string_view layout; // layout_text() of the module's side
  const ModuleCandidate *candidates = nullptr;
  std::size_t count = 0;
};

// The one symbol that a module exports; it never throws.
using ModuleEntry = const ModuleTable *();
inline constexpr const char *kModuleEntry = "switchyard_against_table";

} // namespace switchyard::against
