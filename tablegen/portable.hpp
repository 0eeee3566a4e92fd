// Routes for a machine that nobody has measured: what does best, in relative terms, on all that
// somebody has.
//
// Times of two machines have nothing in common, but regrets do. At every size that any profile
// measured, an alternative's cost is the mean, over the profiles whose measured sizes of the class
// enclose it, of its log-regret there, interpolated linearly along log(size) between the
// neighbouring sizes. Every profile counts the same. Then:
//
//   * A candidate that broke the contract on one of the machines is excluded for that variant and
//     dtype: it is the one that must not be met by surprise.
//   * An alternative that was not measured in a class of one profile, though it could run there,
//     counts as the slowest that was, and a tie band slower: no data is no recommendation.
//   * Regions minimise cost and number as for one machine. Inside the tie band, in the mean over a
//     region, the fixed order of preference decides; there are no paired rounds to prove more,
//     and no incumbents, since the table has to follow from the profiles alone.
#pragma once

#include <span>

#include "evidence/evidence.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

// The plan of the name kPortableProfile. A region's margin is the geometric mean over the profiles,
// its interval from the least to the greatest of their margins: how far machines disagree.
// Warnings of the profiles are not repeated.
[[nodiscard]] Plan plan_portable(std::span<const evidence::Profile> profiles,
                                 const CandidateSet &set);

} // namespace switchyard::tablegen
