// The proof that every candidate passes before it is timed, remembered for a whole run.
#pragma once

#include <map>
#include <string>

#include "bench/conformance/problem.hpp"

namespace switchyard::measure {

// Verdicts by variant, candidate, dtype, shape, layout and parameters. Output mode, cache state and
// thread count ask for no proof of their own: the engine checks the results of the timed calls.
class Gate {
public:
  // The first mismatch of the candidate on the problem, or an empty string. Problems beyond
  // kLargeProblem elements are proven in full on their first rows, then compared as a whole with
  // reference() and with samples of the oracle.
  const std::string &verdict(const Variant &variant, const VariantContract &contract,
                             const Candidate &candidate, const conformance::ProblemSpec &spec);

  // A candidate that large problems are compared with: it computes the dtype to the bit and passed
  // the problem's smaller kin; the variant's floor, or for the floor itself another one. nullptr:
  // there is none.
  const Candidate *reference(const Variant &variant, const VariantContract &contract,
                             const Candidate &judged, const conformance::ProblemSpec &spec);

private:
  std::map<std::string, std::string> verdicts_;
};

// The problem with fewer rows and items, at most an eighth of kLargeProblem elements.
[[nodiscard]] conformance::ProblemSpec smaller_kin(const conformance::ProblemSpec &spec);

} // namespace switchyard::measure
