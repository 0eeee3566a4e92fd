#include "bench/measure/gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/conformance/conformance.hpp"

namespace switchyard::measure {
namespace {

std::string key_of(const Variant &variant, const conformance::ProblemSpec &spec) {
  return fmt::format("{} {} {} {} {} {} {}", variant.name, spec.dtype_case,
                     fmt::join(spec.shape, "x"), spec.rank, name_of(spec.layout), spec.typical,
                     spec.param_set);
}

} // namespace

const std::string &Gate::verdict(const Variant &variant, const VariantContract &contract,
                                 const Candidate &candidate,
                                 const conformance::ProblemSpec &given) {
  conformance::ProblemSpec spec = given;
  spec.output = OutputMode::into;
  const std::string key = key_of(variant, spec);
  auto known = verdicts_.find(key);
  if (known == verdicts_.end()) {
    known = verdicts_.emplace(key, conformance::gate_all(variant, contract, spec)).first;
  }
  return known->second.at(static_cast<std::size_t>(&candidate - variant.candidates.data()));
}

} // namespace switchyard::measure
