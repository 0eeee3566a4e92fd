// The proof that every candidate passes before it is timed, remembered for a whole run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/conformance/problem.hpp"

namespace switchyard::measure {

// Verdicts by variant, dtype, shape, layout, parameters and candidate. Output mode, cache state and
// thread count ask for no proof of their own: the engine checks the results of the timed calls.
class Gate {
public:
  // The first mismatch of the candidate, one of the variant's, on the problem, or an empty string.
  // All candidates of the variant are proven together when the first of them is asked for.
  const std::string &verdict(const Variant &variant, const VariantContract &contract,
                             const Candidate &candidate, const conformance::ProblemSpec &spec);

private:
  std::map<std::string, std::vector<std::string>> verdicts_; // by problem, then candidate
};

} // namespace switchyard::measure
