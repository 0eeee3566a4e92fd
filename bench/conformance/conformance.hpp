// The proof: every candidate against its op's contract, on shared lists of problems.
//
// The same engine serves the tests and gates measuring: what it rejects is never timed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/conformance/problem.hpp"

namespace switchyard::conformance {

struct Verdict {
  std::string candidate;
  std::int64_t cells = 0;   // problems that the candidate ran and passed
  std::int64_t refused = 0; // problems outside its domain
  std::string mismatch;     // first failure: problem and what differed; empty: proven
};

// The problems of a variant: tails around vector widths, H ≠ W, unit and short axes, C of 1, 2, 3,
// 4, 5, 9 and 33, every layout, unaligned, empty, in place, special values, every parameter set.
[[nodiscard]] std::vector<ProblemSpec> problems(const Variant &variant,
                                                const VariantContract &contract);

// Runs one candidate over problems; stops at its first mismatch.
[[nodiscard]] Verdict prove(const Variant &variant, const VariantContract &contract,
                            const Candidate &candidate, std::span<const ProblemSpec> specs);

// The gate before measuring: the problem of a cell, with several seeds and with special values.
// Returns the first mismatch, or an empty string.
[[nodiscard]] std::string gate(const Variant &variant, const VariantContract &contract,
                               const Candidate &candidate, const ProblemSpec &spec);

// The gate for all candidates of the variant, in their order; problems are drawn once for all of
// them. Candidates that refuse the problem have no mismatch.
[[nodiscard]] std::vector<std::string>
gate_all(const Variant &variant, const VariantContract &contract, const ProblemSpec &spec);

// Names of the SIMD targets that were compiled and that this CPU can run, best first.
[[nodiscard]] std::vector<std::string> simd_targets();

// Runs `body` once per such target, with our kernels restricted to it; restores the choice.
void for_each_simd_target(const std::function<void(const std::string &target)> &body);

} // namespace switchyard::conformance
