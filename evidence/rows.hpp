// What makes rows valid, their order in a file, and the figures derived from their samples.
// Internal to evidence/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "evidence/attempts.hpp"
#include "evidence/evidence.hpp"
#include "evidence/text.hpp"

namespace switchyard::evidence {

// The words of a cell's key, in the order in which files sort them. The layouts and outputs are
// those of the route table, which this library does not include.
inline constexpr std::string_view kLayoutNames[] = {"contiguous", "rows",   "reversed",
                                                    "plane",      "planar", "other"};
inline constexpr std::string_view kOutputNames[] = {"into", "fresh", "in_place"};
inline constexpr std::string_view kCacheNames[] = {"hot", "cold", "chained"};
inline constexpr std::string_view kStatusNames[] = {"accepted", "dropped", "impossible", "rejected",
                                                    "limit"};
inline constexpr std::string_view kQualityNames[] = {"good", "fair", "poor"};

// Times of one call that can be real, in ns.
inline constexpr double kMinTime = 1e-3;
inline constexpr double kMaxTime = 1e15;

// Index of `name`, or names.size().
[[nodiscard]] std::size_t rank_of(std::string_view name, std::span<const std::string_view> names);

// Throws EvidenceError that points at the first row or field at fault. `rows` keep their order,
// so that a pointer fits the file they came from.
void validate(const VariantEvidence &evidence, const Source &source);
// The parts of this: one row by itself, and what concerns several of them or their contexts.
void validate_row(const Row &row, const std::string &pointer, const Source &source);
void validate_together(const VariantEvidence &evidence, const Source &source,
                       const Attempts &attempts);
void validate(const Machine &machine, const Source &source);

// Indices of valid rows in the order of files: cell by cell (dtype, layout, output, cache, thread
// budget, params, elements, shape), then race, candidate and threads.
[[nodiscard]] std::vector<std::size_t> canonical_order(std::span<const Row> rows);

// Figures for human readers. `ratio` compares with the reference row of its race: the accepted row
// with the lowest median (of equal ones the first in file order), or, where none was accepted, the
// dropped one. A dropped row has fewer rounds, so its median alone would not be comparable.
struct Summary {
  double median_ns = 0;
  double ratio = 1;
  double low = 1;
  double high = 1; // HUGE_VAL: too few rounds to tell
  double spread = 0;
};

// Summaries of valid rows, by index in `rows`; those of rejected rows stay at their defaults.
[[nodiscard]] std::vector<Summary> summarise(std::span<const Row> rows,
                                             std::span<const std::size_t> order);

} // namespace switchyard::evidence
