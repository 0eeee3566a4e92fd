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
  // The first mismatch of the candidate on the problem, or an empty string.
  const std::string &verdict(const Variant &variant, const VariantContract &contract,
                             const Candidate &candidate, const conformance::ProblemSpec &spec);

private:
  std::map<std::string, std::string> verdicts_;
};

} // namespace switchyard::measure
