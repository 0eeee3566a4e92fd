// A problem in memory: inputs, parameters and guarded outputs of one call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/contract.hpp"
#include "switchyard/core/route_table.hpp"

namespace switchyard::conformance {

// What to draw. `text()` is a one-line description that reproduces it.
struct ProblemSpec {
  int dtype_case = 0;
  Extents shape{1, 1, 1, 1};
  std::uint8_t rank = 3;
  LayoutClass layout = LayoutClass::contiguous; // of the inputs and of outputs of the same shape
  OutputMode output = OutputMode::into;         // fresh is drawn as into
  bool typical = false;   // the form of the layout that callers pass most, whatever the seed
  bool unaligned = false; // addresses that are no multiple of the element size
  int param_set = 0;
  bool special = false; // NaN, ±Inf, −0, subnormals, extremes among the inputs
  std::uint64_t seed = 1;

  [[nodiscard]] std::string text(const Variant &variant, const VariantContract &contract) const;
};

// Owns the memory of one problem. Every allocation has canary bytes before, between and after the
// elements that a view addresses; gaps of strided views are canaries as well.
class Problem {
public:
  // Throws std::invalid_argument for a spec that the contract does not allow (in place where the
  // contract forbids it, say).
  Problem(const Variant &variant, const VariantContract &contract, const ProblemSpec &spec);
  ~Problem();
  Problem(Problem &&) noexcept;
  Problem &operator=(Problem &&) noexcept;

  [[nodiscard]] const Call &call() const;
  [[nodiscard]] const ProblemSpec &spec() const;

  // Puts inputs back to what was drawn and fills outputs (other than in-place ones) and every
  // canary with a pattern that no correct result equals by chance.
  void reset();

  // Moves every buffer's start by this many bytes (a multiple of 64, below 4096), so that rounds
  // of a measurement do not share one relation of page offsets. Invalidates call().
  void set_page_offsets(std::int64_t input_bytes, std::int64_t output_bytes);

  // Checks outputs against the oracle, canaries, and that inputs kept their bytes (in place: the
  // output is judged by the inputs as drawn). Empty: passed. Else the first mismatch:
  // "out[0] at (0, 3, 2, 1): got 17, expected 18 (18 … 18)".
  [[nodiscard]] std::string check(Exactness exactness) const;

  // As check(), but large row-local problems compare with `proven`'s output plus sampled rows of
  // the oracle; `proven` is a candidate that passed check() on this problem's smaller kin.
  [[nodiscard]] std::string check_large(Exactness exactness, const Candidate &proven) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace switchyard::conformance
