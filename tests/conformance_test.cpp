// Every registered variant against its contract: one test a variant, made from the registry, so
// that a new op, variant or candidate is proven without an edit here.
#include <algorithm>
#include <cfenv>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "bench/conformance/conformance.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"
#include "tests/support/fp_control.hpp"

namespace switchyard::conformance {
namespace {

// Vectorised code of ours, which depends on the SIMD target that we choose for it; a library
// chooses its own, and the floor has none.
bool has_targets(const Candidate &candidate) {
  if (candidate.id == "loop") {
    return false;
  }
  const auto backends = candidates::backends();
  const auto found = std::find_if(backends.begin(), backends.end(), [&](const BackendInfo &info) {
    return info.name == candidate.backend;
  });
  return found != backends.end() && found->option.empty();
}

std::vector<ProblemSpec> of_dtype(const std::vector<ProblemSpec> &specs, int dtype_case) {
  std::vector<ProblemSpec> chosen;
  std::copy_if(specs.begin(), specs.end(), std::back_inserter(chosen),
               [&](const ProblemSpec &spec) { return spec.dtype_case == dtype_case; });
  return chosen;
}

struct Report {
  std::string lines;
  std::int64_t cells = 0;
};

// Proves one candidate in one dtype case on every SIMD target that applies.
void prove_case(const Variant &variant, const VariantContract &contract, const Candidate &candidate,
                int dtype_case, const std::vector<ProblemSpec> &specs, Report &report) {
  const std::string_view dtype = variant.dtypes[static_cast<std::size_t>(dtype_case)].name;
  report.lines += fmt::format("{} {} {}:", variant.name, candidate.id, dtype);
  bool first = true;
  for_each_simd_target([&](const std::string &target) {
    if (!first && !has_targets(candidate)) {
      return;
    }
    first = false;
    const Verdict verdict = prove(variant, contract, candidate, specs);
    INFO(target << ": " << verdict.mismatch);
    CHECK(verdict.mismatch.empty());
    CHECK(verdict.cells > 0); // a proof by no problem at all proves nothing
    report.cells += verdict.cells;
    report.lines +=
        fmt::format(" {} {} cells ({} refused)", has_targets(candidate) ? target : "any target",
                    verdict.cells, verdict.refused);
    if (candidate.id == "loop") {
      CHECK(verdict.refused == 0);
    }
  });
  report.lines += '\n';
}

void prove_variant(const Variant &variant) {
  const VariantContract *contract = candidates::find_contract(variant.name);
  REQUIRE(contract != nullptr);
  const std::vector<ProblemSpec> specs = problems(variant, *contract);
  Report report;
  for (int i = 0; i < static_cast<int>(variant.dtypes.size()); ++i) {
    const std::vector<ProblemSpec> chosen = of_dtype(specs, i);
    for (const Candidate &candidate : variant.candidates) {
      const bool claims =
          candidate.exactness[static_cast<std::size_t>(i)] != Exactness::unsupported;
      if (candidate.built() && claims) {
        prove_case(variant, *contract, candidate, i, chosen, report);
      }
    }
  }
  const std::string text =
      fmt::format("{}{}: {} conformance cells\n", report.lines, variant.name, report.cells);
  std::cout << text;
  const std::filesystem::path folder("conformance_cells"); // in the build folder under ctest
  std::filesystem::create_directories(folder);
  std::string name(variant.name);
  std::replace(name.begin(), name.end(), '/', '.');
  std::ofstream(folder / (name + ".txt")) << text;
}

class VariantTest : public Catch::ITestInvoker {
public:
  explicit VariantTest(const Variant &variant) : variant_(variant) {}
  void invoke() const override { prove_variant(variant_); }

private:
  const Variant &variant_;
};

// What TEST_CASE does, for each variant.
const bool kRegistered = [] {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const std::string name = fmt::format("conformance: {}", variant.name);
      const Catch::AutoReg registered(new VariantTest(variant), CATCH_INTERNAL_LINEINFO, "",
                                      Catch::NameAndTags(name, "[conformance]"));
    }
  }
  return true;
}();

bool is_word(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

TEST_CASE("every variant of the registry has a contract and every contract a variant") {
  REQUIRE(kRegistered);
  std::set<std::string_view> variants;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      INFO(variant.name);
      CHECK(variants.insert(variant.name).second);
      CHECK(candidates::find_contract(variant.name) != nullptr);
      CHECK((variant.name == op->name || variant.name.starts_with(std::string(op->name) + "/")));
      CHECK(!variant.dtypes.empty());
      CHECK(variant.dtypes.size() <= static_cast<std::size_t>(kMaxDtypeCases));
    }
  }
  REQUIRE(!variants.empty());
  std::set<std::string_view> contracts;
  for (const OpContract *op : candidates::contracts()) {
    for (const VariantContract &contract : op->variants) {
      INFO(contract.variant);
      CHECK(contracts.insert(contract.variant).second);
      CHECK(variants.count(contract.variant) == 1);
      CHECK(!contract.param_sets.empty());
    }
  }
}

TEST_CASE("every contract has one measured parameter set at least") {
  for (const OpContract *op : candidates::contracts()) {
    for (const VariantContract &contract : op->variants) {
      INFO(contract.variant);
      CHECK(std::any_of(contract.param_sets.begin(), contract.param_sets.end(),
                        [](const ParamSet &set) { return set.measured; }));
    }
  }
}

TEST_CASE("every candidate id is its backend's name or starts with it") {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      std::set<std::string_view> ids;
      for (const Candidate &candidate : variant.candidates) {
        INFO(variant.name << " " << candidate.id);
        CHECK(is_word(candidate.id));
        CHECK(ids.insert(candidate.id).second);
        CHECK((candidate.id == candidate.backend ||
               candidate.id.starts_with(std::string(candidate.backend) + "_")));
        CHECK(candidate.version >= 1);
        const auto backends = candidates::backends();
        const auto backend =
            std::find_if(backends.begin(), backends.end(),
                         [&](const BackendInfo &info) { return info.name == candidate.backend; });
        REQUIRE(backend != backends.end());
        CHECK(candidate.built() == backend->built);
      }
    }
  }
}

TEST_CASE("the last candidate of every variant is a loop without a domain") {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      INFO(variant.name);
      REQUIRE(!variant.candidates.empty());
      const Candidate &loop = variant.candidates.back();
      CHECK(loop.id == "loop");
      CHECK(loop.built());
      CHECK(loop.domain == nullptr);
      for (std::size_t i = 0; i < variant.dtypes.size(); ++i) {
        CHECK(loop.exactness[i] == Exactness::bitwise); // it is the contract's reference
      }
    }
  }
}

TEST_CASE("candidates may be divided by rows only where the contract is local to rows") {
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const VariantContract *contract = candidates::find_contract(variant.name);
      REQUIRE(contract != nullptr);
      for (const Candidate &candidate : variant.candidates) {
        INFO(variant.name << " " << candidate.id);
        CHECK((candidate.split != Split::rows || contract->row_local));
      }
    }
  }
}

TEST_CASE("the proof runs on every SIMD target that this CPU has and restores the choice") {
  const std::vector<std::string> targets = simd_targets();
  REQUIRE(!targets.empty());
  std::vector<std::string> seen;
  std::vector<std::string> chosen;
  for_each_simd_target([&](const std::string &target) {
    seen.push_back(target);
    chosen.push_back(simd_targets().front());
    CHECK(simd_targets().size() == 1);
  });
  CHECK(seen == targets);
  CHECK(chosen == targets);
  CHECK(simd_targets() == targets);
}

// What a call must leave as it was.
struct GlobalState {
  std::vector<std::string> threads;
  int rounding = 0;
  std::uint64_t control = 0; // traps, rounding, flush-to-zero
  std::string locale;

  static GlobalState now() {
    GlobalState state;
    for (const BackendInfo &backend : candidates::backends()) {
      state.threads.push_back(backend.threads == nullptr ? "" : backend.threads());
    }
    state.rounding = std::fegetround();
    state.control = test::fp_control();
    state.locale = std::setlocale(LC_ALL, nullptr);
    return state;
  }
  bool operator==(const GlobalState &) const = default;
};

TEST_CASE("no candidate changes thread settings, the floating-point environment or the locale") {
  int runs = 0;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const VariantContract *contract = candidates::find_contract(variant.name);
      REQUIRE(contract != nullptr);
      for (int i = 0; i < static_cast<int>(variant.dtypes.size()); ++i) {
        ProblemSpec spec;
        spec.dtype_case = i;
        spec.shape = {1, 64, 67, 3};
        Problem problem(variant, *contract, spec);
        for (const Candidate &candidate : variant.candidates) {
          if (candidate.refuses(problem.call()) != nullptr) {
            continue;
          }
          const GlobalState before = GlobalState::now();
          candidate.run(problem.call());
          INFO(variant.name << " " << candidate.id);
          CHECK(GlobalState::now() == before);
          ++runs;
        }
      }
    }
  }
  CHECK(runs > 0);
}

} // namespace
} // namespace switchyard::conformance
