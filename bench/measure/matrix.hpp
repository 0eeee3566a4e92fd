// The benchmark matrix: which problems a variant is measured on.
//
// A star, not a cross: a base (C 3, contiguous, into a buffer, hot, one thread) over all sizes,
// and every other axis varied alone at a few of them: channels, rank, layout, output mode, cache
// state, threads. The table in matrix.cpp is the only place that lists shapes.
//
// Layouts are measured in the form that callers pass most (ProblemSpec::typical). So `reversed` is
// an image upside down, that is, inputs whose rows are in reverse order, into an output that is
// not. Mirrored columns and other mixtures share its routes; that they are right is proven
// beforehand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "bench/conformance/problem.hpp"
#include "evidence/evidence.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/core/contract.hpp"

namespace switchyard::measure {

// How much a cell matters when a time budget cannot hold all: less is more.
enum class Priority : std::uint8_t { base, arm, detail };

// Where a call finds its data; see Subject.
enum class CacheState : std::uint8_t { hot, cold, chained };

// Which thread budgets a point is measured with.
enum class Budgets : std::uint8_t {
  one,
  several, // every budget above 1
  ends,    // the smallest and the largest above 1
  least,   // the smallest above 1
};

// One problem of the matrix, before a variant and a dtype are filled in.
struct MatrixPoint {
  Extents shape{1, 1, 1, 1}; // X, H, W, C
  std::uint8_t rank = 3;
  LayoutClass layout = LayoutClass::contiguous;
  OutputMode output = OutputMode::into;
  CacheState cache = CacheState::hot;
  Budgets budgets = Budgets::one;
  bool quick = false; // part of quick mode
  Priority priority = Priority::detail;
};

// Quick mode's points come first.
[[nodiscard]] std::span<const MatrixPoint> matrix_points();

// Points at the shapes of a contract that has its own, of these uses; large ones with several
// threads as well.
[[nodiscard]] std::vector<MatrixPoint> points_of(const VariantContract &contract,
                                                 std::initializer_list<Use> uses);

enum class Mode : std::uint8_t { quick, full };

struct MatrixCell {
  evidence::Cell cell;
  Priority priority = Priority::detail;
  bool quick = false;
};

// Thread budgets that this machine's cells have: of 1, 2, 4, … and `cores` itself, at most 1, the
// smallest, the middle and the largest of the others. A non-empty `list` replaces the doubling;
// its entries outside [1, cores] are left out. Ascending.
[[nodiscard]] std::vector<int> thread_budgets(int cores, std::span<const int> list = {});

// The cells of a variant in all its dtype cases, for its measured parameter sets, in a fixed
// order: of the contract's shapes, else of the points above. In-place cells only where the contract
// allows them, fresh ones only where the result is an image rather than a few numbers, threaded
// ones only where some candidate's rows can be split.
[[nodiscard]] std::vector<MatrixCell> matrix(const Variant &variant,
                                             const VariantContract &contract, Mode mode,
                                             std::span<const int> budgets);

// The same for a list of points of one's own.
[[nodiscard]] std::vector<MatrixCell> cells_at(std::span<const MatrixPoint> points,
                                               const Variant &variant,
                                               const VariantContract &contract,
                                               std::span<const int> budgets);

// The cache state that a cell names. Throws std::invalid_argument where there is no such.
[[nodiscard]] CacheState cache_of(const evidence::Cell &cell);

// The problem that a cell names. Throws std::invalid_argument for a dtype, layout, output mode,
// cache state or parameter set that the variant does not have.
[[nodiscard]] conformance::ProblemSpec
problem_of(const Variant &variant, const VariantContract &contract, const evidence::Cell &cell);

// The inverse, for a hot cell.
[[nodiscard]] evidence::Cell cell_of(const Variant &variant, const VariantContract &contract,
                                     const conformance::ProblemSpec &spec, int thread_budget);

// The name by which a candidate is run in a cell alone, from the cell's key:
// "multiply_add/scalar:fused/u8_480x640x3_contiguous_into_hot_t1_tone".
[[nodiscard]] std::string benchmark_name(const Variant &variant, const Candidate &candidate,
                                         const evidence::Cell &cell);

// Bytes of the elements that a call reads and writes at least once: all inputs and outputs.
[[nodiscard]] std::int64_t bytes_of(const VariantContract &contract, const Call &call);

} // namespace switchyard::measure
