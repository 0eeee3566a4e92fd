// What sets calls of one variant apart must mean the same to the tuner, which has a cell's text,
// and to the router, which has the call.
#include <algorithm>

#include <catch2/catch.hpp>

#include "bench/conformance/problem.hpp"
#include "bench/measure/matrix.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"
#include "router/router.hpp"
#include "tablegen/candidate_set.hpp"

namespace switchyard {
namespace {

constexpr std::int64_t kMostElements = 300000;
constexpr int kBudgets[] = {1};

// Calls `check` with every measured problem of a variant that is not large.
template <class Check> int for_measured(const Variant &variant, const Check &check) {
  const VariantContract &contract = *candidates::find_contract(variant.name);
  int checked = 0;
  for (const auto &[cell, priority, quick] :
       measure::matrix(variant, contract, measure::Mode::full, kBudgets)) {
    if (cell.elements() <= kMostElements && cell.cache == "hot") {
      INFO(variant.name << " " << cell.key());
      const conformance::Problem problem(variant, contract,
                                         measure::problem_of(variant, contract, cell));
      check(cell, problem.call());
      ++checked;
    }
  }
  return checked;
}

} // namespace

TEST_CASE("a call of a cell is looked up where the cell's routes are") {
  const tablegen::CandidateSet set = tablegen::candidate_set(candidates::ops());
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const tablegen::VariantInfo &info = *set.find(variant.name);
      const int checked = for_measured(variant, [&](const evidence::Cell &cell, const Call &call) {
        const RouteKey key = key_of(variant.kinds, call, OutputMode::into, 1, Exactness::faithful);
        CHECK(key.elements == cell.elements());
        CHECK(key.channels == (info.by_channels ? cell.channels() : 1));
        CHECK(name_of(key.layout) == cell.layout);
        const std::string *op_class = info.op_class_of(cell.params);
        REQUIRE(op_class != nullptr);
        if (!variant.kinds.classes.empty()) {
          REQUIRE(static_cast<std::size_t>(key.op_class) < variant.kinds.classes.size());
          CHECK(variant.kinds.classes[static_cast<std::size_t>(key.op_class)] == *op_class);
        }
      });
      CHECK(checked > 0);
    }
  }
}

TEST_CASE("every candidate computes one of its variant's dtypes") {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      for (const Candidate &candidate : variant.candidates) {
        INFO(variant.name << " " << candidate.id);
        const auto *const end = candidate.exactness.begin() + variant.dtypes.size();
        CHECK(std::any_of(candidate.exactness.begin(), end,
                          [](Exactness each) { return each != Exactness::unsupported; }));
      }
    }
  }
}

TEST_CASE("every class has a measured parameter set of its name") {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const VariantContract &contract = *candidates::find_contract(variant.name);
      CHECK(variant.kinds.classes.size() <= kMaxClassesOfOp);
      CHECK(variant.kinds.classes.empty() == (variant.kinds.class_of == nullptr));
      for (const std::string_view name : variant.kinds.classes) {
        INFO(variant.name << " " << name);
        CHECK(std::any_of(contract.param_sets.begin(), contract.param_sets.end(),
                          [&](const ParamSet &set) { return set.measured && set.name == name; }));
      }
    }
  }
}

} // namespace switchyard
