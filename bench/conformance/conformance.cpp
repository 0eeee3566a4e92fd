#include "bench/conformance/conformance.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "bench/conformance/memory.hpp"

namespace switchyard::conformance {
namespace {

// Elements. Above kMedium, seeds and special values are tried on smaller kin, of about kKin, and
// the problem itself once; above kLarge, that one is compared with another candidate.
constexpr std::int64_t kMedium = 1 << 17;
constexpr std::int64_t kLarge = 1 << 20;
constexpr std::int64_t kKin = 1 << 16;
constexpr std::uint64_t kSeedStep = 12; // keeps the form of the layout that a seed chooses
constexpr std::uint64_t kGateSeeds = 3;

enum class Outcome : std::uint8_t { passed, refused, failed };

// Runs the candidate on the problem and judges it; `reference` helps with large problems.
Outcome run_once(const Variant &variant, const VariantContract &contract,
                 const Candidate &candidate, Problem &problem, const Candidate *reference,
                 std::string &mismatch) {
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
  mismatch =
      std::string(candidate.id) + ": " + problem.spec().text(variant, contract) + ": " + found;
  return Outcome::failed;
}

// A candidate at the gate and its first mismatch.
struct Judged {
  const Candidate *candidate = nullptr;
  std::string mismatch;
};

// Another candidate to compare a large output with: the last one, that is the floor, or for the
// floor itself the nearest, of its exactness at least, that has passed so far and takes the
// problem.
const Candidate *reference_for(const Judged &judged, const std::vector<Judged> &all,
                               const Problem &problem) {
  const std::uint8_t dtype_case = problem.call().dtype_case;
  const Candidate *last = nullptr;
  for (const Judged &other : all) {
    if (other.candidate->id != judged.candidate->id && other.mismatch.empty() &&
        other.candidate->refuses(problem.call()) == nullptr &&
        other.candidate->exactness[dtype_case] >= judged.candidate->exactness[dtype_case]) {
      last = other.candidate;
    }
  }
  return last;
}

// Runs those that have not failed yet over one problem, which is drawn once for all of them.
void judge(const Variant &variant, const VariantContract &contract, const ProblemSpec &spec,
           std::vector<Judged> &all) {
  const bool large = element_count(spec.shape) > kLarge;
  Problem problem(variant, contract, spec);
  for (Judged &judged : all) {
    if (judged.mismatch.empty()) {
      problem.reset();
      const Candidate *reference = large ? reference_for(judged, all, problem) : nullptr;
      run_once(variant, contract, *judged.candidate, problem, reference, judged.mismatch);
    }
  }
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

void pass_through(const Variant &variant, const VariantContract &contract, const ProblemSpec &spec,
                  std::vector<Judged> &all) {
  const bool small = element_count(spec.shape) <= kMedium;
  ProblemSpec tried = small ? spec : kin_of(spec);
  for (std::uint64_t i = 0; i < kGateSeeds; ++i, tried.seed += kSeedStep) {
    for (const bool special : {spec.special, true}) {
      tried.special = special;
      judge(variant, contract, tried, all);
    }
  }
  if (!small) {
    judge(variant, contract, spec, all);
  }
}

} // namespace

Verdict prove(const Variant &variant, const VariantContract &contract, const Candidate &candidate,
              std::span<const ProblemSpec> specs) {
  Verdict verdict;
  verdict.candidate = candidate.id;
  for (const ProblemSpec &spec : specs) {
    Problem problem(variant, contract, spec);
    switch (run_once(variant, contract, candidate, problem, nullptr, verdict.mismatch)) {
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
  std::vector<Judged> all = {{&candidate, {}}};
  if (element_count(spec.shape) > kLarge) {
    for (const Candidate &other : variant.candidates) { // one of them becomes the reference
      if (other.id != candidate.id) {
        all.push_back({&other, {}});
      }
    }
  }
  pass_through(variant, contract, spec, all);
  return all.front().mismatch;
}

std::vector<std::string> gate_all(const Variant &variant, const VariantContract &contract,
                                  const ProblemSpec &spec) {
  std::vector<Judged> all;
  for (const Candidate &candidate : variant.candidates) {
    all.push_back({&candidate, {}});
  }
  pass_through(variant, contract, spec, all);
  std::vector<std::string> mismatches;
  mismatches.reserve(all.size());
  for (Judged &judged : all) {
    mismatches.push_back(std::move(judged.mismatch));
  }
  return mismatches;
}

} // namespace switchyard::conformance
