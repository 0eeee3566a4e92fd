#include "bench/conformance/conformance.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "bench/conformance/memory.hpp"

namespace switchyard::conformance {
namespace {

constexpr std::int64_t kLarge = 1 << 20; // elements; beyond, the gate does not use the oracle alone
constexpr std::int64_t kKin = 1 << 16;   // elements of a large problem's smaller kin, about
constexpr std::uint64_t kSeedStep = 12;  // keeps the form of the layout that a seed chooses
constexpr std::uint64_t kGateSeeds = 3;

enum class Outcome : std::uint8_t { passed, refused, failed };

// Runs the candidate on a fresh problem and judges it; `reference` helps with large problems.
Outcome run_once(const Variant &variant, const VariantContract &contract,
                 const Candidate &candidate, const ProblemSpec &spec, const Candidate *reference,
                 std::string &mismatch) {
  Problem problem(variant, contract, spec);
  if (candidate.refuses(problem.call()) != nullptr) {
    return Outcome::refused;
  }
  const Exactness exactness = candidate.exactness[problem.call().dtype_case];
  std::string found;
  try {
    candidate.run(problem.call());
    found = reference == nullptr ? problem.check(exactness)
                                 : problem.check_large(exactness, *reference);
  } catch (const std::exception &error) {
    found = std::string("threw: ") + error.what();
  }
  if (found.empty()) {
    return Outcome::passed;
  }
  std::replace(found.begin(), found.end(), '\n', ' '); // what() of a library may have lines
  mismatch = std::string(candidate.id) + ": " + spec.text(variant, contract) + ": " + found;
  return Outcome::failed;
}

// Another candidate to compare a large output with: the floor, or for the floor itself the
// nearest one of its exactness that takes the problem.
const Candidate *reference_for(const Variant &variant, const VariantContract &contract,
                               const Candidate &candidate, const ProblemSpec &kin) {
  const Problem problem(variant, contract, kin);
  const auto dtype_case = static_cast<std::size_t>(kin.dtype_case);
  for (auto it = variant.candidates.rbegin(); it != variant.candidates.rend(); ++it) {
    if (it->id != candidate.id && it->refuses(problem.call()) == nullptr &&
        it->exactness[dtype_case] >= candidate.exactness[dtype_case]) {
      return &*it;
    }
  }
  return nullptr;
}

// The same problem with fewer rows, small enough for the oracle.
ProblemSpec kin_of(ProblemSpec spec) {
  const std::int64_t rows = std::max<std::int64_t>(1, spec.shape[kX] * spec.shape[kH]);
  const std::int64_t row = element_count(spec.shape) / rows;
  const std::int64_t wanted = std::max<std::int64_t>(1, kKin / std::max<std::int64_t>(1, row));
  spec.shape[kH] = std::min(spec.shape[kH], wanted);
  spec.shape[kX] = std::min(spec.shape[kX], std::max<std::int64_t>(1, wanted / spec.shape[kH]));
  return spec;
}

} // namespace

Verdict prove(const Variant &variant, const VariantContract &contract, const Candidate &candidate,
              std::span<const ProblemSpec> specs) {
  Verdict verdict;
  verdict.candidate = candidate.id;
  for (const ProblemSpec &spec : specs) {
    switch (run_once(variant, contract, candidate, spec, nullptr, verdict.mismatch)) {
    case Outcome::passed:
      ++verdict.cells;
      break;
    case Outcome::refused:
      ++verdict.refused;
      break;
    case Outcome::failed:
      return verdict;
    }
  }
  return verdict;
}

std::string gate(const Variant &variant, const VariantContract &contract,
                 const Candidate &candidate, const ProblemSpec &spec) {
  const bool large = element_count(spec.shape) > kLarge;
  ProblemSpec tried = large ? kin_of(spec) : spec;
  const Candidate *reference = large ? reference_for(variant, contract, candidate, tried) : nullptr;
  std::string mismatch;
  for (std::uint64_t i = 0; i < kGateSeeds; ++i, tried.seed += kSeedStep) {
    for (const bool special : {spec.special, true}) {
      tried.special = special;
      if (run_once(variant, contract, candidate, tried, nullptr, mismatch) == Outcome::failed) {
        return mismatch;
      }
      if (reference != nullptr) { // its output is to be trusted on the large problem
        run_once(variant, contract, *reference, tried, nullptr, mismatch);
        reference = mismatch.empty() ? reference : nullptr;
        mismatch.clear();
      }
    }
  }
  if (large) {
    run_once(variant, contract, candidate, spec, reference, mismatch);
  }
  return mismatch;
}

} // namespace switchyard::conformance
