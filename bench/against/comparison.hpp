// Judging old against new: pure functions of what a campaign over pairs has measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/against/pairs.hpp"
#include "evidence/evidence.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::against {

inline constexpr double kTieBand = 0.03;

enum class Outcome : std::uint8_t {
  same,    // the interval lies inside the tie band
  faster,  // … wholly below it
  slower,  // … wholly above it
  unclear, // neither: too few rounds, or too much noise
};

[[nodiscard]] std::string_view name_of(Outcome outcome);

// `ratio`: time of the new / time of the old. The tie band is [1 / 1.03, 1.03].
[[nodiscard]] Outcome judge(const evidence::Interval &ratio);

// One candidate with one number of threads in one cell.
struct Comparison {
  std::string variant;
  evidence::Cell cell;
  std::string candidate;
  int threads = 1;
  std::size_t rounds = 0; // that both have
  evidence::Interval ratio;
  Outcome outcome = Outcome::unclear;
};

// Results that broke the contract, so that there was nothing to compare.
struct Broken {
  std::string variant;
  std::string cell; // its key
  std::string candidate;
  bool is_new = false; // else of the other revision
  std::string mismatch;
};

// A candidate's comparisons in one dtype case.
struct Summary {
  std::string variant;
  std::string dtype;
  std::string candidate;
  std::size_t cells = 0; // comparisons: a cell counts once for each number of threads
  double geomean = 1;    // of the ratios
  std::size_t same = 0;
  std::size_t faster = 0;
  std::size_t slower = 0;
  std::size_t unclear = 0;
};

struct Report {
  std::string name;   // of the revision, as given
  std::string commit; // its full hash
  std::vector<Comparison> comparisons;
  std::vector<Summary> summaries; // in the order of the comparisons
  std::vector<Broken> broken;
  std::vector<std::string> notes; // what was not compared, and why
  bool interrupted = false;

  [[nodiscard]] std::size_t count(Outcome outcome) const;
  // Nothing got slower, and no new candidate breaks its contract where the old one did not.
  [[nodiscard]] bool good() const;
  // One line: the answer to "did anything get slower?".
  [[nodiscard]] std::string verdict() const;
};

// Compares the rows of each pair, cell by cell. The intervals hold together with 95 % confidence
// over all comparisons of the report, so that a long report is no likelier to blame chance.
[[nodiscard]] std::vector<Comparison> compare(const Pairs &pairs,
                                              std::span<const evidence::VariantEvidence> measured);

[[nodiscard]] std::vector<Broken> broken_in(const Pairs &pairs,
                                            std::span<const evidence::VariantEvidence> measured);

// Cells that only one of a pair's two accepts, one line for each such pair.
[[nodiscard]] std::vector<std::string>
unmatched(const Pairs &pairs, std::span<const evidence::VariantEvidence> measured);

[[nodiscard]] std::vector<Summary> summarize(std::span<const Comparison> comparisons);

// For people, at most 80 columns but for notes: verdict, summaries, then what changed, worst first.
[[nodiscard]] std::string to_text(const Report &report);

// {"against": {"revision", "commit"}, "verdict", "good", "tie_band", "counts": {"same", "faster",
// "slower", "unclear"}, "summary": […], "cells": […], "broken": […], "notes": […], "interrupted"};
// numbers have four digits, and a bound that is not known is null.
[[nodiscard]] std::string to_json(const Report &report);

} // namespace switchyard::against
