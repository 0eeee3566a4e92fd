// An op's contract as the harness uses it: how to draw a problem, what the result must be.
//
// The oracle is written apart from every candidate, in f64 or exact integers, and favours
// plainness over speed. It never calls a kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string_view>

#include "switchyard/core/candidate.hpp"

namespace switchyard {

// What one output element must be. A bitwise candidate gives `value`; a faithful one anything in
// [low, high]. A NaN `value` asks for a NaN of any payload.
struct Expected {
  double value = 0;
  double low = 0;
  double high = 0;
};

// A named choice of parameters. Measured sets make up the benchmark matrix; all are tested.
struct ParamSet {
  std::string_view name; // "tone", "identity", "saturating", …
  bool measured = false;
};

// A shape that problems of a variant have, and what it serves for. Every use is tested as well.
enum class Use : std::uint8_t {
  tested, // by the conformance tests alone
  full,   // measured in full mode
  quick,  // measured in both modes
  unseen, // never measured when tuning; `switchyard verify` judges the routes by it
};
struct ShapeCase {
  Extents shape{1, 1, 1, 1}; // X, H, W, C
  std::uint8_t rank = 3;
  Use use = Use::tested;
};

using Random = std::mt19937_64;

struct VariantContract {
  std::string_view variant;
  int inputs = 1;
  int outputs = 1;
  bool in_place = false;   // `out` may be the same view as an input
  bool row_local = false;  // output row h depends on rows h of the inputs, or `part`, alone
  bool takes_empty = true; // an empty image is allowed
  std::span<const ParamSet> param_sets;
  // Replaces the lists of image shapes, for problems that are not images; empty: images.
  std::span<const ShapeCase> shapes;

  // Parameters of a set for `channels` channels: the struct that Call::params points to.
  std::shared_ptr<const void> (*make_params)(int set, std::int64_t channels, int dtype_case,
                                             Random &random) = nullptr;
  // CallFlag bits that validation would set for these parameters; nullptr: none.
  std::uint32_t (*flags)(const void *params) = nullptr;
  // Those that it would set for what the inputs hold; nullptr: none.
  std::uint32_t (*input_flags)(const Call &call) = nullptr;
  // Fills input `which`; `special` asks for the values that break candidates (NaN, ±Inf, −0,
  // subnormals, extremes). nullptr: the harness's default distribution.
  void (*fill)(const View &input, int which, bool special, Random &random) = nullptr;
  // The same for values that depend on the parameters; goes before `fill`.
  void (*fill_for)(const View &input, int which, const void *params, bool special,
                   Random &random) = nullptr;
  // Shape of input `which` in a problem of this shape; nullptr: the problem's.
  Extents (*input_shape)(int which, const Extents &problem, const void *params) = nullptr;
  // Shape of output `which` where the first input has the shape `in`; nullptr: the same.
  Extents (*output_shape)(int which, const Extents &in, const void *params) = nullptr;
  // With row_local: the part of an input that a part of the output depends on; nullptr: the same
  // rows.
  InputPart *part = nullptr;
  // Writes the expected elements of output `which` in X, H, W, C order.
  void (*oracle)(const Call &call, int which, std::span<Expected> expected) = nullptr;
};

struct OpContract {
  std::string_view op;
  std::span<const VariantContract> variants;
};

} // namespace switchyard
