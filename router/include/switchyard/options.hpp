// What a caller may ask of a call, and what it can learn of the last one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/rounding.hpp"

namespace switchyard {

struct Options {
  // The most threads that the call may use, the caller's included. Small problems use one.
  int threads = 1;
  // `bitwise` asks for the same bits on every size, layout, thread count and machine; routes are
  // then taken among bitwise candidates alone.
  Exactness exactness = Exactness::faithful;
  // Of integer results of real-valued ops; the op's own rule unless given. See docs/contracts.md.
  Rounding rounding = Rounding::by_op;
  // Pins the call to this candidate of its variant, on as many threads as it can use. An id that
  // is unknown, not in this build, or that refuses the call is an Error, never a quiet fallback.
  std::string_view candidate = {};
};
inline constexpr Options kDefaultOptions{}; // one for all calls that ask for nothing

// How well the route that served a call fits it.
enum class Grade : std::uint8_t {
  exact,         // its class was measured on this machine, and its size lies among the measured
  near,          // the nearest measured class or size of this machine
  other_machine, // measured on another machine
  default_order, // nothing was measured: the order of the op's table
  pinned,        // the caller fixed the candidate
};

constexpr std::string_view name_of(Grade grade) {
  constexpr std::string_view kNames[] = {"exact", "near", "other_machine", "default", "pinned"};
  return kNames[static_cast<int>(grade)];
}

struct RouteInfo {
  std::string_view variant; // "multiply_add/scalar"; empty: no call yet
  std::string_view candidate;
  Grade grade = Grade::default_order;
  int threads = 0; // used
};

// The route of the last call that this thread made.
[[nodiscard]] RouteInfo last_route() noexcept;

// The candidates of a variant that are in this build, in the order of the op's table; empty for a
// name that is not registered.
[[nodiscard]] std::vector<std::string_view> candidates_of(std::string_view variant);

} // namespace switchyard
