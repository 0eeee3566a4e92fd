// What the engine knows of an op: variants and their candidates, as plain tables.
//
// Nothing here names an op. A project declares an op of its own with a Variant per kind of
// operands and a row per candidate, and gets the same proof, measurement and routing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "switchyard/core/dtype.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard {

// How close a candidate's results are to the contract's reference, per dtype case.
enum class Exactness : std::uint8_t {
  unsupported, // does not compute this dtype case
  faithful,    // within the tolerance that the contract states
  bitwise,     // the reference's bits
};

constexpr std::string_view name_of(Exactness exactness) {
  constexpr std::string_view kNames[] = {"unsupported", "faithful", "bitwise"};
  return kNames[static_cast<int>(exactness)];
}

// Facts about a call that its validation has established.
enum CallFlag : std::uint32_t {
  kInPlace = 1U << 0, // the output is exactly the same view as an input
  kWide = 1U << 1,    // a finite parameter exceeds FLT_MAX: compute in f64, narrow at the end
};

// One validated problem as a candidate sees it. Views are borrowed for the time of the call.
struct Call {
  std::array<const ConstView *, 3> in{}; // as many as the variant has, from the front; then nullptr
  std::array<const View *, 2> out{};
  const void *params = nullptr; // the op's own parameter struct
  std::uint32_t flags = 0;
  std::uint8_t dtype_case = 0; // index into Variant::dtypes

  template <class P> [[nodiscard]] const P &params_as() const {
    return *static_cast<const P *>(params);
  }
};

// Computes the call on the calling thread. It starts no threads, keeps no reference to the call,
// changes no global state, and writes the output elements and nothing else.
using Run = void(const Call &);

// Returns nullptr where the candidate accepts the problem, else the reason as a static string.
using Domain = const char *(const Call &);

// How the router may divide a call among threads.
enum class Split : std::uint8_t {
  none, // one call computes the whole
  // Output rows depend on the same rows of the inputs, or on what Candidate::part says: any band of
  // rows is a call. An input with one row serves all rows.
  rows,
};

// The part of input `which` that the output's indices [from, to) of `axis`, X or H, depend on.
using InputPart = ConstView(const Call &call, int which, Axis axis, std::int64_t from,
                            std::int64_t to);

inline constexpr int kMaxDtypeCases = 16;

// What one call moves between the caches and main memory, on contiguous arrays that are larger than
// the caches, in full-array passes. A read pass is as many bytes as the first input has; a write
// pass is as many as the first output has, or the first input, where the outputs are a few numbers.
// {1, 1} reads every element of the only input once and writes every element of the result once.
//
// Temporary arrays count by their bytes: writing and reading back an f32 temporary of a u8 problem
// is four passes each way. Changing an array in place is a read and a write. What is found in a
// cache is neither, so a temporary of a few kilobytes is free. A line that is fetched for
// being written to counts as written alone. scripts/check_traffic.sh compares with what a
// simulated cache counts.
struct Traffic {
  std::uint8_t reads = 1;
  std::uint8_t writes = 1;
};

// Traffic per dtype case: {1, 1} for all of them, or {{8, 3}, {2, 2}} for one each, of which the
// last serves all that follow.
class TrafficByCase {
public:
  constexpr TrafficByCase() = default;
  constexpr TrafficByCase(std::uint8_t reads, std::uint8_t writes) { cases_.fill({reads, writes}); }
  constexpr explicit TrafficByCase(const std::array<Traffic, kMaxDtypeCases> &cases)
      : cases_(cases) {}
  constexpr TrafficByCase(std::initializer_list<Traffic> cases) {
    for (std::size_t i = 0; i < cases_.size() && cases.size() > 0; ++i) {
      cases_[i] = i < cases.size() ? cases.begin()[i] : cases.end()[-1];
    }
  }
  constexpr const Traffic &operator[](std::size_t dtype_case) const { return cases_[dtype_case]; }

private:
  std::array<Traffic, kMaxDtypeCases> cases_{};
};

struct Candidate {
  std::string_view id; // its backend's name, or that name, "_" and a distinction
  int version = 1;     // raised with every change that can alter its time or its results
  std::string_view backend;
  Domain *domain = nullptr; // nullptr: accepts every problem that the contract allows
  std::array<Exactness, kMaxDtypeCases> exactness{};
  TrafficByCase traffic;
  Split split = Split::none;
  Run *run = nullptr;        // nullptr: not in this build
  InputPart *part = nullptr; // of inputs for a band of output rows; nullptr: as `split` says
  // The domain looks at shapes, strides, dtypes and flags, and whether all parameters are one
  // number for all channels, as the variant says, but at nothing else: it judges all such calls
  // alike.
  bool domain_by_geometry = false;

  [[nodiscard]] bool built() const { return run != nullptr; }
  // The reason why this candidate cannot take the call, or nullptr.
  [[nodiscard]] const char *refuses(const Call &call) const {
    if (run == nullptr) {
      return "not in this build";
    }
    if (exactness[call.dtype_case] == Exactness::unsupported) {
      return "dtype not supported";
    }
    return domain == nullptr ? nullptr : domain(call);
  }
};

// See Candidate::domain_by_geometry.
constexpr Candidate by_geometry(Candidate candidate) {
  candidate.domain_by_geometry = true;
  return candidate;
}

// A combination of element types that a variant computes.
struct DtypeCase {
  std::string_view name; // "u8", "f32", or image and result: "u8_f32"
  std::array<Dtype, 3> in{};
  std::array<Dtype, 2> out{};
  // Unmeasured cases are tested, and routed in the order of the op's table.
  bool measured = true;
};

// How calls of a variant are told apart for routing, where that is not by the extents of the first
// input: routes lie along the product of the problem's extents, apart for each number of channels
// and each class.
struct Kinds {
  Extents (*problem)(const Call &call) = nullptr; // nullptr: the first input's shape
  bool by_channels = true;                        // the problem's last extent sets calls apart
  // Calls of an op's own kinds, named after the parameter sets that they are measured with; empty:
  // all calls are of one. A set belongs to the class whose name it has, or has before an
  // underscore.
  std::span<const std::string_view> classes{};
  int (*class_of)(const Call &call) = nullptr; // an index into `classes`
};
inline constexpr std::size_t kMaxClassesOfOp = 32;

// An op with a fixed kind of operands: "multiply_add/scalar". The last candidate of every variant
// is its `loop`, which accepts whatever the contract allows.
struct Variant {
  std::string_view name;
  std::span<const DtypeCase> dtypes;
  std::span<const Candidate> candidates;
  Kinds kinds{};
};

struct OpTable {
  std::string_view name;
  std::span<const Variant> variants;
};

// A library or a kind of own code that candidates come from.
struct BackendInfo {
  std::string_view name;
  bool built = false;
  std::string_view option; // the CMake option that switches it on; empty: always there
  // Version, the CPU capability that it has chosen for itself, and its thread settings;
  // nullptr where there is nothing to ask.
  std::string (*version)() = nullptr;
  std::string (*capability)() = nullptr;
  std::string (*threads)() = nullptr;
};

} // namespace switchyard
