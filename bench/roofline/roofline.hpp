// How close routed calls come to the memory's own speed.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/measure/campaign.hpp"
#include "bench/measure/limits.hpp"
#include "bench/peers/public_calls.hpp"

namespace switchyard::roofline {

// Where a call's arrays lie: "l2", "l3" or "dram".
struct Level {
  std::string name;
  std::int64_t bytes = 0; // of all arrays together
  bool cold = false;      // calls take turns on copies, so that none finds its data in a cache
};

// Half of the second and the third cache; and, from memory, images as large as the third cache
// that a ring of copies keeps out of it. A machine without the one or the other lacks its level.
[[nodiscard]] std::vector<Level> levels_of(std::span<const measure::MemoryLevel> memory);

// A three-channel image of about `bytes` in all its arrays, `per_element` bytes for each element;
// height and width differ.
[[nodiscard]] Extents shape_for(std::int64_t bytes, double per_element);

struct Fraction {
  std::string variant;
  std::string dtype;
  std::string level;
  double fraction = 0; // the better twin's time / the routed call's: the median over the rounds
  double low = 0;      // its interval, 95 %; [0, inf] of too few rounds
  double high = 0;
};

// The ops whose geometric mean is the figure by which the limit is judged: those that can do
// nothing but move data and a few operations.
struct Judged {
  std::string_view variant;
  std::string_view dtype;
};
[[nodiscard]] std::span<const Judged> judged();

// exp(mean log) of a level's judged fractions; nullopt where there is none.
[[nodiscard]] std::optional<double> geomean(std::span<const Fraction> fractions,
                                            std::string_view level);

struct Options {
  std::vector<Level> levels;
  int rounds = 21;
  double slice_ns = 200e3;
  double clock_error_ns = 0;
  double budget_s = 0; // 0: none
  measure::Hooks hooks;
  const peers::Public *(*find)(std::string_view variant) = peers::find_public;
  const std::atomic<bool> *stop = nullptr;
  std::function<void(const measure::Progress &)> progress;
};
[[nodiscard]] Options default_options();

struct Report {
  std::vector<Fraction> fractions; // by entries, dtypes and levels
  std::size_t skipped = 0;
  double elapsed_s = 0;
  bool interrupted = false;
  std::vector<std::string> notes;
};

// Races every routed call against the traffic twins of its problem, in the same rounds and on the
// same buffers. Ops that are not on images are left out: what they compute bounds them, not what
// they move.
[[nodiscard]] Report measure_roofline(std::span<const measure::Entry> entries,
                                      const Options &options);

// {"ops": [{"variant", "dtype", "level", "fraction", "low", "high"}], "geomean": {"l2", "l3",
// "dram"}}; a mean of nothing is null.
[[nodiscard]] nlohmann::ordered_json to_json(const Report &report);
[[nodiscard]] std::string to_text(const Report &report);
[[nodiscard]] std::string to_markdown(const Report &report);

} // namespace switchyard::roofline
