// The candidates of a pointwise op with arrays, and its dtype cases: one row per adapter, made for
// the op's Describe function.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/pointwise_array/adapters.hpp"

namespace switchyard::candidates::pointwise_array {

// Image and operand; the result has the image's dtype. The public edge counts on the order. Few are
// measured; calls of the others take candidates in the order of their rows.
inline constexpr DtypeCase kOneOperand[] = {
    {"u8", {Dtype::u8, Dtype::u8}, {Dtype::u8}, true},
    {"u8_i8", {Dtype::u8, Dtype::i8}, {Dtype::u8}, false},
    {"u8_u16", {Dtype::u8, Dtype::u16}, {Dtype::u8}, false},
    {"u8_i16", {Dtype::u8, Dtype::i16}, {Dtype::u8}, false},
    {"u8_f32", {Dtype::u8, Dtype::f32}, {Dtype::u8}, true},
    {"u8_f64", {Dtype::u8, Dtype::f64}, {Dtype::u8}, false},
    {"f32_u8", {Dtype::f32, Dtype::u8}, {Dtype::f32}, true},
    {"f32_i8", {Dtype::f32, Dtype::i8}, {Dtype::f32}, false},
    {"f32_u16", {Dtype::f32, Dtype::u16}, {Dtype::f32}, false},
    {"f32_i16", {Dtype::f32, Dtype::i16}, {Dtype::f32}, false},
    {"f32", {Dtype::f32, Dtype::f32}, {Dtype::f32}, true},
    {"f32_f64", {Dtype::f32, Dtype::f64}, {Dtype::f32}, false},
};

// As above, for ops whose operands are real numbers as a rule.
inline constexpr auto kRealOperand = [] {
  auto cases = std::to_array(kOneOperand);
  for (DtypeCase &dtypes : cases) {
    dtypes.measured = dtypes.in[1] == Dtype::f32;
  }
  return cases;
}();

// Image and two operands. Arrays of two dtypes go by the case `mixed`, which stands for all of
// them.
inline constexpr auto kTwoOperands = [] {
  std::array<DtypeCase, std::size(kOneOperand) + 2> cases{};
  std::size_t i = 0;
  for (DtypeCase dtypes : kOneOperand) {
    dtypes.in[2] = dtypes.in[1];
    cases[i++] = dtypes;
  }
  cases[i++] = {"u8_mixed", {Dtype::u8, Dtype::i16, Dtype::f32}, {Dtype::u8}, false};
  cases[i++] = {"f32_mixed", {Dtype::f32, Dtype::f32, Dtype::u8}, {Dtype::f32}, false};
  return cases;
}();

template <RunExpression *kRun, Describe *kDescribe> void run(const Call &call) {
  kRun(call, kDescribe(call));
}
template <ExpressionDomain *kDomain, Describe *kDescribe> const char *accepts(const Call &call) {
  return kDomain(call, kDescribe(call));
}

constexpr std::span<const DtypeCase> dtype_cases(Form form) {
  return form == Form::multiply_add ? std::span<const DtypeCase>(kTwoOperands)
                                    : std::span<const DtypeCase>(kOneOperand);
}

// Bitwise in all dtype cases that `serves`; the others are not supported.
template <class Serves> consteval auto bitwise_where(Form form, Serves serves) {
  std::array<Exactness, kMaxDtypeCases> exactness{};
  std::size_t i = 0;
  for (const DtypeCase &dtypes : dtype_cases(form)) {
    exactness[i++] = serves(dtypes) ? Exactness::bitwise : Exactness::unsupported;
  }
  return exactness;
}

// Bytes that one element of the result costs.
struct Moved {
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  constexpr Moved &operator+=(const Moved &other) {
    reads += other.reads;
    writes += other.writes;
    return *this;
  }
};

// The bytes of every dtype case in full-array passes, to the nearest.
template <class MovedBy> consteval TrafficByCase passes(Form form, MovedBy moved) {
  std::array<Traffic, kMaxDtypeCases> traffic{};
  std::size_t i = 0;
  for (const DtypeCase &dtypes : dtype_cases(form)) {
    const Moved bytes = moved(dtypes);
    const std::int64_t size = size_of(dtypes.in[0]);
    traffic[i++] = {static_cast<std::uint8_t>((bytes.reads + size / 2) / size),
                    static_cast<std::uint8_t>((bytes.writes + size / 2) / size)};
  }
  return TrafficByCase(traffic);
}

constexpr bool is_integer(Dtype dtype) {
  return dtype != Dtype::f32 && dtype != Dtype::f64;
}

// What the adapters move, as their files have it: `truncates` where an operand is truncated first.
class Costs {
public:
  constexpr Costs(Form form, const DtypeCase &dtypes, bool truncates)
      : two_(form == Form::multiply_add), truncates_(truncates), image_(size_of(dtypes.in[0])),
        u8_(dtypes.in[0] == Dtype::u8), a_(dtypes.in[1]), b_(dtypes.in[2]) {}

  [[nodiscard]] constexpr Moved once() const {
    return {image_ + size_of(a_) + (two_ ? size_of(b_) : 0), image_};
  }

  // Operands that are no f32 become so; then a pass an operation, and one that narrows to u8.
  [[nodiscard]] constexpr Moved loop() const {
    Moved moved = converted(a_, a_ != Dtype::f32 || (truncates_ && u8_));
    moved += {image_ + 4, 4};
    if (two_) {
      moved += converted(b_, b_ != Dtype::f32);
      moved += {8, 4};
    }
    return moved += u8_ ? Moved{4, 1} : Moved{};
  }

  // One call an operation; f64 becomes f32 before, and a product of u8 images is f32.
  [[nodiscard]] constexpr Moved opencv() const {
    Moved moved = converted(a_, a_ == Dtype::f64);
    const std::int64_t a = a_ == Dtype::f64 ? 4 : size_of(a_);
    if (!two_) {
      return moved += {image_ + a, image_};
    }
    moved += converted(b_, b_ == Dtype::f64);
    moved += {image_ + a, 4};
    return moved += {4 + (b_ == Dtype::f64 ? 4 : size_of(b_)), image_};
  }

  // As `opencv`; u8 images become f32, and their results are freed of NaN, clamped and narrowed.
  [[nodiscard]] constexpr Moved aten() const {
    Moved moved = u8_ ? Moved{1, 4} : Moved{};
    const bool real = !is_integer(a_) || (two_ && !is_integer(b_));
    moved += operation(a_);
    if (two_) {
      moved += operation(b_);
    }
    if (u8_ && truncates_ && !is_integer(a_)) {
      moved += {size_of(a_), size_of(a_)};
    }
    moved += u8_ && real ? Moved{4, 4} : Moved{};
    return moved += u8_ ? Moved{8, 5} : Moved{};
  }

  // Both arguments pass through an array of f32.
  [[nodiscard]] constexpr Moved aten_power() const {
    Moved moved = converted(a_, true);
    moved += {4, 4};
    return moved += {8, 4};
  }

private:
  [[nodiscard]] static constexpr Moved converted(Dtype dtype, bool converts) {
    return converts ? Moved{size_of(dtype), 4} : Moved{};
  }
  [[nodiscard]] static constexpr Moved operation(Dtype operand) {
    Moved moved = converted(operand, operand != Dtype::f32);
    return moved += {8, 4};
  }

  bool two_;
  bool truncates_;
  std::int64_t image_;
  bool u8_;
  Dtype a_;
  Dtype b_;
};

// `kSum` adds NumKong's, which has sums alone.
template <Describe *kDescribe, Form kForm, bool kTruncates, bool kSum> consteval auto rows() {
  using namespace config;
  constexpr auto kAll = bitwise_where(kForm, [](const DtypeCase &) { return true; });
  constexpr auto kEqual =
      bitwise_where(kForm, [](const DtypeCase &d) { return d.in[0] == d.in[1]; });
  constexpr auto kNoU16 =
      bitwise_where(kForm, [](const DtypeCase &d) { return d.in[1] != Dtype::u16; });
  // Real results of u8 images are rounded, as OpenCV does it to nearest.
  constexpr auto kExact = bitwise_where(kForm, [](const DtypeCase &d) {
    return d.in[0] == Dtype::f32 || (is_integer(d.in[1]) && is_integer(d.in[2]));
  });
  constexpr auto kMoved = [](auto which) {
    return passes(kForm,
                  [which](const DtypeCase &d) { return which(Costs(kForm, d, kTruncates)); });
  };
  constexpr auto kOnce = kMoved([](const Costs &costs) { return costs.once(); });
  // id, version, backend, domain, exactness by dtype case, full-array passes, split, run
  constexpr Candidate kFused = by_geometry({"fused", 3, "fused", accepts<accepts_fused, kDescribe>,
                                            kAll, kOnce, Split::rows, run<run_fused, kDescribe>});
  constexpr Candidate kNumkongSum =
      by_geometry({"numkong", 1, "numkong", built<kNumkong, accepts<accepts_numkong, kDescribe>>(),
                   kEqual, kOnce, Split::rows, built<kNumkong, run<run_numkong, kDescribe>>()});
  constexpr Candidate kOpencvCalls{
      "opencv",    1,
      "opencv",    built<kOpencv, accepts<accepts_opencv, kDescribe>>(),
      kExact,      kMoved([](const Costs &costs) { return costs.opencv(); }),
      Split::rows, built<kOpencv, run<run_opencv, kDescribe>>()};
  constexpr Candidate kAtenOps{"aten",      1,
                               "aten",      built<kAten, accepts<accepts_aten, kDescribe>>(),
                               kNoU16,      kMoved([](const Costs &costs) { return costs.aten(); }),
                               Split::rows, built<kAten, run<run_aten, kDescribe>>()};
  constexpr Candidate kLoop{"loop",      1,
                            "loop",      nullptr,
                            kAll,        kMoved([](const Costs &costs) { return costs.loop(); }),
                            Split::rows, run<run_loop, kDescribe>};
  if constexpr (kSum) {
    return std::array<Candidate, 5>{kFused, kNumkongSum, kOpencvCalls, kAtenOps, kLoop};
  } else {
    return std::array<Candidate, 4>{kFused, kOpencvCalls, kAtenOps, kLoop};
  }
}

// Of power: OpenCV has one exponent for all, NumKong none.
template <Describe *kDescribe> consteval std::array<Candidate, 4> power_rows() {
  using namespace config;
  constexpr auto kAll = bitwise_where(Form::power, [](const DtypeCase &) { return true; });
  constexpr auto kFaithful = [] {
    std::array<Exactness, kMaxDtypeCases> exactness{};
    std::size_t i = 0;
    for (const DtypeCase &dtypes : dtype_cases(Form::power)) {
      exactness[i++] = dtypes.in[0] == Dtype::f32 ? Exactness::faithful : Exactness::unsupported;
    }
    return exactness;
  }();
  constexpr auto kFaithfulWithoutU16 = [kFaithful] {
    auto exactness = kFaithful;
    std::size_t i = 0;
    for (const DtypeCase &dtypes : dtype_cases(Form::power)) {
      exactness[i] = dtypes.in[1] == Dtype::u16 ? Exactness::unsupported : exactness[i];
      ++i;
    }
    return exactness;
  }();
  constexpr auto kMoved = [](auto which) {
    return passes(Form::power,
                  [which](const DtypeCase &d) { return which(Costs(Form::power, d, false)); });
  };
  constexpr auto kOnce = kMoved([](const Costs &costs) { return costs.once(); });
  // id, version, backend, domain, exactness by dtype case, full-array passes, split, run
  return {{
      by_geometry({"fused", 2, "fused", accepts<accepts_fused, kDescribe>, kAll, kOnce, Split::rows,
                   run<run_fused, kDescribe>}),
      by_geometry({"fused_faithful", 2, "fused", accepts<accepts_fused, kDescribe>, kFaithful,
                   kOnce, Split::rows, run<run_fused_faithful, kDescribe>}),
      {"aten", 1, "aten", built<kAten, accepts<accepts_aten, kDescribe>>(), kFaithfulWithoutU16,
       kMoved([](const Costs &costs) { return costs.aten_power(); }), Split::rows,
       built<kAten, run<run_aten, kDescribe>>()},
      {"loop", 1, "loop", nullptr, kAll, kMoved([](const Costs &costs) { return costs.loop(); }),
       Split::rows, run<run_loop, kDescribe>},
  }};
}

} // namespace switchyard::candidates::pointwise_array
