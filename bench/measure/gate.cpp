#include "bench/measure/gate.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/conformance/conformance.hpp"
#include "bench/measure/subject.hpp"

namespace switchyard::measure {
namespace {

using conformance::ProblemSpec;

std::string key_of(const Variant &variant, const Candidate &candidate, const ProblemSpec &spec) {
  return fmt::format("{} {} {} {} {} {} {}", variant.name, candidate.id, spec.dtype_case,
                     fmt::join(spec.shape, "x"), spec.rank, name_of(spec.layout), spec.param_set);
}

bool is_large(const ProblemSpec &spec) {
  return element_count(spec.shape) > kLargeProblem;
}

} // namespace

ProblemSpec smaller_kin(const ProblemSpec &spec) {
  ProblemSpec kin = spec;
  const auto fit = [&](Axis axis) {
    const std::int64_t others = std::max<std::int64_t>(
        element_count(kin.shape) / std::max<std::int64_t>(kin.shape[axis], 1), 1);
    kin.shape[axis] =
        std::min(kin.shape[axis], std::max<std::int64_t>(kLargeProblem / 8 / others, 1));
  };
  fit(kX);
  fit(kH);
  fit(kW);
  return kin;
}

const std::string &Gate::verdict(const Variant &variant, const VariantContract &contract,
                                 const Candidate &candidate, const ProblemSpec &given) {
  ProblemSpec spec = given;
  spec.output = OutputMode::into;
  const std::string key = key_of(variant, candidate, spec);
  if (const auto known = verdicts_.find(key); known != verdicts_.end()) {
    return known->second;
  }
  std::string mismatch;
  if (!is_large(spec)) {
    mismatch = conformance::gate(variant, contract, candidate, spec);
  } else {
    mismatch = verdict(variant, contract, candidate, smaller_kin(spec));
    if (mismatch.empty()) {
      Subject subject(variant, contract, spec, {});
      mismatch = subject.verify({&candidate, 1}, reference(variant, contract, candidate, spec));
    }
  }
  return verdicts_.emplace(key, std::move(mismatch)).first->second;
}

const Candidate *Gate::reference(const Variant &variant, const VariantContract &contract,
                                 const Candidate &judged, const ProblemSpec &spec) {
  const auto dtype = static_cast<std::size_t>(spec.dtype_case);
  const ProblemSpec kin = smaller_kin(spec);
  // From the end: the floor comes last.
  for (std::size_t i = variant.candidates.size(); i-- > 0;) {
    const Candidate &candidate = variant.candidates[i];
    if (candidate.built() && candidate.exactness[dtype] == Exactness::bitwise &&
        candidate.id != judged.id && verdict(variant, contract, candidate, kin).empty()) {
      const conformance::Problem problem(variant, contract, spec);
      if (candidate.refuses(problem.call()) == nullptr) {
        return &candidate;
      }
    }
  }
  return nullptr;
}

} // namespace switchyard::measure
