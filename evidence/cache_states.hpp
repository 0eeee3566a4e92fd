// Cells in which what wins depends on where the data lies when the call begins.
#pragma once

#include <string>
#include <vector>

#include "evidence/evidence.hpp"

namespace switchyard::evidence {

// Two cells that are equal but for their cache state, and whose winners beat each other.
struct Disagreement {
  Row first; // the accepted row of the lowest median in each
  Row second;
  // How many times slower the other's winner is; above 1 + tie band, by an interval that excludes 1
  // or in a race that it was dropped from.
  double second_in_first = 1;
  double first_in_second = 1;
};

// All pairs of cache states that disagree, in the order of files. A winner that has no row in the
// other cell disagrees with nothing. Where a cell was measured in several races, the one that timed
// the most alternatives counts, the later of equal ones.
[[nodiscard]] std::vector<Disagreement> disagreements(const VariantEvidence &evidence,
                                                      double tie_band = 0.03);

// Two lines: "multiply_add/scalar u8 240x320x3 contiguous into t1 tone" and, indented,
// "hot: fused (opencv +12 %), cold: opencv (fused +9 %)".
[[nodiscard]] std::string text_of(const Disagreement &disagreement, std::string_view variant);

} // namespace switchyard::evidence
