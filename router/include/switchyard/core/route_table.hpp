// The dispatch table as plain data: what tablegen writes and the router reads.
//
// The table is advice. The router checks every name against the candidates it has and every
// chosen candidate's domain against the call, so that a wrong table costs time, never results.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace switchyard {

// How the bytes of a view lie, from the most to the least favourable; a call's class is that of
// its least favourable view.
enum class LayoutClass : std::uint8_t {
  contiguous, // one run of memory
  rows,       // rows of W × C contiguous elements, any distance apart
  reversed,   // as rows, or contiguous, with a negative stride
  plane,      // W with a stride of several elements: one channel of an interleaved image
  planar,     // C outermost: CHW memory seen as HWC
  other,
};
inline constexpr int kLayoutClasses = 6;

constexpr std::string_view name_of(LayoutClass layout) {
  constexpr std::string_view kNames[kLayoutClasses] = {"contiguous", "rows",   "reversed",
                                                       "plane",      "planar", "other"};
  return kNames[static_cast<int>(layout)];
}

enum class OutputMode : std::uint8_t {
  into,     // a buffer of the caller's
  fresh,    // newly allocated by the call
  in_place, // the same view as an input
};
inline constexpr int kOutputModes = 3;

constexpr std::string_view name_of(OutputMode mode) {
  constexpr std::string_view kNames[kOutputModes] = {"into", "fresh", "in_place"};
  return kNames[static_cast<int>(mode)];
}

inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

// A candidate and the number of threads it uses.
struct RouteAlternative {
  std::string_view candidate;
  int threads = 1;
};

// The ranking for the problems of one class whose first input has [from, to) elements.
struct Route {
  std::string_view variant;
  std::string_view dtype;
  std::int64_t channels = 0;
  LayoutClass layout = LayoutClass::contiguous;
  OutputMode output = OutputMode::into;
  int thread_budget = 1;
  std::int64_t from = 0;
  std::int64_t to = kUnbounded;
  std::int64_t measured_from = 0; // smallest and largest measured size of the class, in elements:
  std::int64_t measured_to = 0;   // beyond them a route is `near`, not `exact`
  std::uint32_t ranking = 0;      // first of `ranked` entries in RouteTable::alternatives
  std::uint32_t ranked = 0;
  float margin = 0; // median time of the runner-up / that of the winner − 1; 0: no runner-up
  float low = 0;    // interval of the margin
  float high = 0;
  std::string_view op_class{}; // one of Kinds::classes; empty where the variant has none
};

// The profile name of the table for machines that have none of their own: made from all profiles
// when there are two or more. No machine's profile may have this name.
inline constexpr std::string_view kPortableProfile = "portable";

struct RouteTable {
  std::string_view profile;
  std::string_view candidate_set; // hash of the ids and versions that the table was made for
  std::span<const Route> routes;
  std::span<const RouteAlternative> alternatives;
};

} // namespace switchyard
