// Lookup on synthetic registries and tables: "on this machine and this table, this problem goes to
// that candidate".
#include <array>
#include <cfenv>
#include <cmath>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/machine.hpp"
#include "router/router.hpp"
#include "router/split.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

void run_nothing(const Call &) {}
const char *accepts_few_channels(const Call &call) {
  return call.in[0]->channels() > 4 ? "more than 4 channels" : nullptr;
}

using enum Exactness;
constexpr DtypeCase kDtypes[] = {{"u8", {Dtype::u8}, {Dtype::u8}},
                                 {"f32", {Dtype::f32}, {Dtype::f32}}};
constexpr Candidate kCandidates[] = {
    {"fused", 1, "fused", nullptr, {bitwise, faithful}, {1, 1}, Split::rows, run_nothing},
    {"small",
     1,
     "fused",
     accepts_few_channels,
     {bitwise, bitwise},
     {1, 1},
     Split::rows,
     run_nothing},
    {"absent", 1, "opencv", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, nullptr},
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {3, 3}, Split::rows, run_nothing},
};
constexpr Variant kVariants[] = {{"tone/scalar", kDtypes, kCandidates}};
constexpr OpTable kOp{"tone", kVariants};
constexpr const OpTable *kOps[] = {&kOp};

// Two regions at C = 3; ranked by threads at a budget of 2; one class for planes.
constexpr RouteAlternative kAlternatives[] = {{"small", 1}, {"loop", 1},   {"fused", 1},
                                              {"loop", 1},  {"fused", 2},  {"small", 1},
                                              {"loop", 1},  {"absent", 1}, {"loop", 1}};
constexpr auto kContiguous = LayoutClass::contiguous;
constexpr auto kInto = OutputMode::into;
constexpr Route kRoutes[] = {
    {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 0, 1000, 100, 10000, 0, 2},
    {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 1000, kUnbounded, 100, 10000, 2, 2},
    {"tone/scalar", "u8", 3, kContiguous, kInto, 2, 0, kUnbounded, 10000, 10000, 4, 3},
    {"tone/scalar", "u8", 1, LayoutClass::plane, kInto, 1, 0, kUnbounded, 500, 500, 7, 2},
};
constexpr RouteTable kTable{"here", "hash", kRoutes, kAlternatives};

struct Asked {
  std::string_view candidate;
  Grade grade;
  int threads;
  bool operator==(const Asked &) const = default;
};
std::ostream &operator<<(std::ostream &os, const Asked &asked) {
  return os << asked.candidate << " " << name_of(asked.grade) << " t" << asked.threads;
}

Asked ask(const Router &router, const RouteKey &key, int dtype_case = 0) {
  std::array<std::uint8_t, 4> pixel{};
  const ConstView image = hwc(std::as_const(pixel).data(), 1, 1, key.channels);
  Call call;
  call.in = {&image};
  call.dtype_case = static_cast<std::uint8_t>(dtype_case);
  const Decision decision = router.decide(0, call, key);
  return {decision.candidate->id, decision.grade, decision.threads};
}

} // namespace

TEST_CASE("A problem goes to the region of its size, with the grade exact where it was measured") {
  const Router router(kOps, std::span(&kTable, 1), "here");
  CHECK(ask(router, {3, 300}) == Asked{"small", Grade::exact, 1});
  CHECK(ask(router, {3, 999}) == Asked{"small", Grade::exact, 1});
  CHECK(ask(router, {3, 1000}) == Asked{"fused", Grade::exact, 1});
  CHECK(ask(router, {3, 99}) == Asked{"small", Grade::near, 1});
  CHECK(ask(router, {3, 10001}) == Asked{"fused", Grade::near, 1});
  CHECK(router.warnings().empty());
}

TEST_CASE("Classes that were not measured take the nearest one and say so") {
  const Router router(kOps, std::span(&kTable, 1), "here");
  CHECK(ask(router, {4, 300}) == Asked{"small", Grade::near, 1});
  CHECK(ask(router, {1, 500, LayoutClass::plane}) == Asked{"loop", Grade::exact, 1});
  CHECK(ask(router, {1, 500, LayoutClass::planar}) == Asked{"loop", Grade::near, 1});
  CHECK(ask(router, {3, 300, kContiguous, OutputMode::fresh}) == Asked{"small", Grade::near, 1});
}

TEST_CASE("Threads stay within the caller's budget") {
  const Router router(kOps, std::span(&kTable, 1), "here");
  CHECK(ask(router, {3, 10000, kContiguous, kInto, 2}) == Asked{"fused", Grade::exact, 2});
  CHECK(ask(router, {3, 10000, kContiguous, kInto, 4}) == Asked{"fused", Grade::near, 2});
  CHECK(ask(router, {3, 10000, kContiguous, kInto, 1}) == Asked{"fused", Grade::exact, 1});
}

TEST_CASE("A candidate that refuses, is not built or is not exact enough is passed over") {
  const Router router(kOps, std::span(&kTable, 1), "here");
  CHECK(ask(router, {5, 300}) == Asked{"loop", Grade::near, 1});        // small refuses C = 5
  CHECK(ask(router, {1, 500, LayoutClass::plane}).candidate == "loop"); // absent is not built
  RouteKey exactly{3, 5000};
  exactly.exactness = bitwise;
  CHECK(ask(router, exactly, 0).candidate == "fused");
}

TEST_CASE("Without evidence the order of the op's table decides") {
  const Router router(kOps, {}, "here");
  CHECK(ask(router, {3, 300}) == Asked{"fused", Grade::default_order, 1});
  RouteKey exactly{3, 300};
  exactly.exactness = bitwise;
  CHECK(ask(router, exactly, 1) == Asked{"small", Grade::default_order, 1});
  CHECK(ask(Router(kOps, std::span(&kTable, 1), "here"), {3, 300}, 1) ==
        Asked{"fused", Grade::default_order, 1}); // no f32 rows
}

TEST_CASE("Another machine's table serves with the grade other_machine") {
  const Router router(kOps, std::span(&kTable, 1), "elsewhere");
  CHECK(ask(router, {3, 300}) == Asked{"small", Grade::other_machine, 1});
}

TEST_CASE("A hostile table can cost time, never results") {
  constexpr RouteAlternative kNames[] = {{"vanished", 1}, {"", -3}, {"loop", 1000000}};
  constexpr Route kLines[] = {
      {"no_such/variant", "u8", 3, kContiguous, kInto, 1, 0, kUnbounded, 0, 0, 0, 1},
      {"tone/scalar", "i64", 3, kContiguous, kInto, 1, 0, kUnbounded, 0, 0, 0, 1},
      {"tone/scalar", "u8", -7, kContiguous, kInto, -2, 50, 20, 9, 3, 0, 4000000000U},
      {"tone/scalar", "u8", 0, kContiguous, kInto, 0, 0, -1, 0, 0, 4000000000U, 7},
  };
  const RouteTable table{"here", "", kLines, kNames};
  const Router router(kOps, std::span(&table, 1), "here");
  CHECK(router.warnings().size() == 4);
  for (const std::int64_t channels : {1, 3, 5, 4096}) {
    for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 50}) {
      const Asked asked = ask(router, {channels, elements});
      CHECK(
          (asked.candidate == "loop" || asked.candidate == "fused" || asked.candidate == "small"));
      CHECK(asked.threads == 1);
    }
  }
}

TEST_CASE("Layout classes follow from strides alone") {
  std::vector<float> memory(10000);
  const View image = hwc(memory.data(), 20, 30, 3);
  CHECK(layout_of(image) == LayoutClass::contiguous);
  CHECK(layout_of(crop(image, 2, 3, 10, 10)) == LayoutClass::rows);
  CHECK(layout_of(reversed(image, kH)) == LayoutClass::reversed);
  CHECK(layout_of(reversed(image, kW)) == LayoutClass::reversed);
  CHECK(layout_of(channel(image, 1)) == LayoutClass::plane);
  const View planar = strided(memory.data(), {1, 20, 30, 3}, {0, 120, 4, 2400});
  CHECK(layout_of(planar) == LayoutClass::planar);
  CHECK(layout_of(channel(planar, 2)) == LayoutClass::contiguous);
  CHECK(layout_of(reversed(image, kC)) == LayoutClass::other);
  CHECK(layout_of(slice(xhwc(memory.data(), 4, 10, 10, 3), kH, 2, 7)) == LayoutClass::rows);
  CHECK(layout_of(strided(memory.data(), {1, 1, 1, 1}, {7, -3, 99, 0})) == LayoutClass::contiguous);
}

TEST_CASE("A call divides into bands that cover every row once") {
  std::vector<std::uint8_t> in(std::size_t{2} * 37 * 11 * 3);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::uint8_t>(i * 7);
  }
  const Variant &variant = *candidates::find_variant("hflip");
  const Candidate &loop = variant.candidates.back();
  std::vector<std::uint8_t> whole(in.size());
  std::vector<std::uint8_t> split(in.size());
  const ConstView image = xhwc(std::as_const(in).data(), 2, 37, 11, 3);
  const View expected = xhwc(whole.data(), 2, 37, 11, 3);
  const View result = xhwc(split.data(), 2, 37, 11, 3);
  Call call;
  call.in = {&image};
  call.out = {&expected};
  CHECK(run_split(loop, call, 1) == 1);
  call.out = {&result};
  const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  for (const int threads : {2, 3, 5, 64}) {
    std::fill(split.begin(), split.end(), std::uint8_t{0});
    CHECK(run_split(loop, call, threads) == std::min({threads, 37, cores}));
    CHECK(split == whole);
  }
}

TEST_CASE("Rounding mode and flush-to-zero of the caller neither matter nor change") {
  std::vector<float> in{0.5F, 1.5F, 1e-39F, 16777217.0F, 0.1F, -0.3F};
  const ConstView image = hwc(std::as_const(in).data(), 1, 6, 1);
  const Image expected = multiply_add(image, 0.3, 0.7);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
#endif
    const Image out = multiply_add(image, 0.3, 0.7);
    const int after = std::fegetround();
#if defined(__x86_64__)
    const unsigned control = _mm_getcsr() & 0x8040;
    _mm_setcsr(_mm_getcsr() & ~0x8040U);
    CHECK(control == 0x8040);
#endif
    std::fesetround(FE_TONEAREST);
    CHECK(after == mode);
    CHECK(std::equal(in.begin(), in.end(), in.begin()));
    for (int i = 0; i < 6; ++i) {
      CHECK(out.data<float>()[i] == expected.data<float>()[i]);
    }
  }
}

TEST_CASE("The last route belongs to the thread that made the call") {
  std::vector<std::uint8_t> pixels(12);
  const View image = hwc(pixels.data(), 2, 2, 3);
  multiply_add(image, 1, 0, image);
  CHECK(last_route().variant == "multiply_add/scalar");
  std::thread([&] {
    CHECK(last_route().variant.empty());
    (void)hflip(image);
    CHECK(last_route().variant == "hflip");
  }).join();
  CHECK(last_route().variant == "multiply_add/scalar");
  CHECK_FALSE(last_route().candidate.empty());
  CHECK(last_route().threads == 1);
}

TEST_CASE("The compiled tables name what this build has") {
  for (const RouteTable &table : compiled_routes()) {
    const Router router(candidates::ops(), std::span(&table, 1), table.profile);
    CHECK(router.warnings().empty());
  }
}
