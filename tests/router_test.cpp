// Lookup on synthetic registries and tables: "on this machine and this table, this problem goes to
// that candidate".
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "candidates/add_weighted/params.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/dispatch.hpp"
#include "router/machine.hpp"
#include "router/router.hpp"
#include "router/split.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/support/fp_control.hpp"

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

TEST_CASE("Calls of an op's own classes are looked up apart") {
  static constexpr std::string_view kClasses[] = {"few", "many", "most"};
  static constexpr auto kClassOf = [](const Call &call) {
    return static_cast<int>(call.flags >> 8);
  };
  static constexpr Variant kOwn[] = {
      {"tone/scalar", kDtypes, kCandidates, {nullptr, true, kClasses, kClassOf}}};
  static constexpr OpTable kOwnOp{"tone", kOwn};
  static constexpr const OpTable *kOwnOps[] = {&kOwnOp};
  std::vector<Route> routes(4, kRoutes[0]);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    routes[i].to = kUnbounded;
    routes[i].ranked = 1;
  }
  routes[0].op_class = "few";
  routes[1].op_class = "most";
  routes[1].ranking = 2;
  routes[2].op_class = "none of them";
  routes[3].op_class = "";
  const RouteTable table{"here", "hash", routes, kAlternatives};
  const Router router(kOwnOps, std::span(&table, 1), "here");
  CHECK(router.warnings().size() == 2);
  RouteKey key{3, 300};
  CHECK(ask(router, key) == Asked{"small", Grade::exact, 1});
  key.op_class = 2;
  CHECK(ask(router, key) == Asked{"fused", Grade::exact, 1});
  key.op_class = 1; // as near to both; the first one serves
  CHECK(ask(router, key) == Asked{"small", Grade::near, 1});
}

TEST_CASE("What a call is looked up by is the problem's, where a variant says what that is") {
  const auto problem = [](const Call &call) { return Extents{2, 3, 5, call.in[0]->shape[kW]}; };
  const auto third = [](const Call &) { return 2; };
  std::array<std::uint8_t, 28> pixels{};
  const ConstView image = hwc(std::as_const(pixels).data(), 2, 7, 2);
  Call call;
  call.in = {&image};
  const RouteKey plain = key_of({}, call, kInto, 3, bitwise);
  CHECK(plain.channels == 2);
  CHECK(plain.elements == 28);
  CHECK(plain.op_class == 0);
  const RouteKey own = key_of({problem, true, {}, third}, call, kInto, 3, bitwise);
  CHECK(own.channels == 7);
  CHECK(own.elements == 210);
  CHECK(own.op_class == 2);
  CHECK(key_of({problem, false}, call, kInto, 3, bitwise).channels == 1);
  const auto endless = [](const Call &) { return Extents{1, kUnbounded, 2, 3}; };
  CHECK(key_of({endless, true}, call, kInto, 3, bitwise).elements == kUnbounded);
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
    const std::uint64_t changed = test::fp_control() | test::kFlushToZero;
    test::set_fp_control(changed);
    const Image out = multiply_add(image, 0.3, 0.7);
    const int after = std::fegetround();
    const std::uint64_t control = test::fp_control();
    test::set_fp_control(control & ~test::kFlushToZero);
    std::fesetround(FE_TONEAREST);
    CHECK(control == changed);
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

TEST_CASE("A call that is remembered takes the route that would be looked up") {
  const VariantHandle multiply("multiply_add/scalar");
  const VariantHandle flip("hflip");
  const VariantHandle blend("add_weighted");
  constexpr std::size_t kRoom = std::size_t{1} << 20;
  std::vector<std::byte> memory(4 * kRoom);
  const auto room = [&](std::size_t which) { return memory.data() + which * kRoom + kRoom / 2; };
  const double factor = 1.5;
  const double value = -2;
  const MultiplyAddParams params{{&factor, 1}, {&value, 1}, Rounding::by_op};
  const AddWeightedParams weights{0.7, 0.3};
  std::mt19937_64 random(5);
  int distinct = 0;
  const Candidate *before = nullptr;
  // Few values of each fact, so that calls meet in the memo with all but one fact equal.
  for (int i = 0; i < 6'000; ++i) {
    const auto one_of = [&](auto... values) {
      const std::array<std::int64_t, sizeof...(values)> all{values...};
      return all[random() % all.size()];
    };
    const Extents shape{one_of(1, 2), one_of(8, 40), one_of(5, 30), one_of(1, 3)};
    const Dtype dtype = random() % 2 == 0 ? Dtype::u8 : Dtype::f32;
    View image(room(0), shape, contiguous_strides(shape, size_of(dtype)), dtype, 4);
    View out(room(1), shape, image.strides, dtype, 4);
    image.strides[kW] *= one_of(1, 1, 3, -1);
    image.strides[kH] *= one_of(1, 1, 3) * 3; // rows apart, whatever their columns are
    image.strides[kX] = image.strides[kH] * shape[kH];
    out.strides[kH] *= one_of(1, 1, 2);
    out.strides[kX] = out.strides[kH] * shape[kH];
    View second = image;
    second.data = room(2);
    second.strides[kH] *= one_of(1, 1, 2);
    second.strides[kX] = second.strides[kH] * shape[kH];
    Options options;
    options.threads = static_cast<int>(one_of(1, 2));
    options.exactness = random() % 3 == 0 ? Exactness::bitwise : Exactness::faithful;
    const VariantHandle &variant = *std::array{&flip, &blend, &multiply, &multiply}[random() % 4];
    Call call;
    call.in = {&image, &variant == &blend ? &second : nullptr};
    call.dtype_case = dtype == Dtype::u8 ? 0 : 1;
    call.params = &variant == &blend ? static_cast<const void *>(&weights) : &params;
    const bool in_place = random() % 4 == 0 && &variant == &multiply;
    const View &target = in_place ? image : out;
    const auto run = [&](OutputMode mode) -> Image {
      const bool checked = random() % 2 == 0;
      if (mode == OutputMode::fresh) {
        return &variant == &flip    ? hflip(image, options)
               : &variant == &blend ? add_weighted(image, 0.7, second, 0.3, options)
                                    : multiply_add(image, factor, value, options);
      }
      if (&variant == &flip) {
        checked ? hflip(image, target, options) : unchecked::hflip(image, target, options);
      } else if (&variant == &blend) {
        checked ? add_weighted(image, 0.7, second, 0.3, target, options)
                : unchecked::add_weighted(image, 0.7, second, 0.3, target, options);
      } else {
        checked ? multiply_add(image, factor, value, target, options)
                : unchecked::multiply_add(image, factor, value, target, options);
      }
      return {};
    };
    const OutputMode mode = random() % 3 == 0 ? OutputMode::fresh : OutputMode::into;
    const Image result = run(mode);
    call.out = {mode == OutputMode::fresh ? &result.view() : &target};
    call.flags = in_place && mode == OutputMode::into ? kInPlace : 0U;
    const RouteInfo route = last_route();
    const Decision wanted = decide_for(variant, call, mode, options);
    REQUIRE(route.candidate == wanted.candidate->id);
    REQUIRE(route.threads == thread_count(*wanted.candidate, call, wanted.threads));
    REQUIRE(route.grade == wanted.grade);
    distinct += wanted.candidate != before ? 1 : 0;
    before = wanted.candidate;
  }
  CHECK(distinct > 100);
}

TEST_CASE("The compiled tables name what this build has") {
  for (const RouteTable &table : compiled_routes()) {
    const Router router(candidates::ops(), std::span(&table, 1), table.profile);
    CHECK(router.warnings().empty());
  }
}

// ---- shapes and tables that nobody measured -----------------------------------------------------

namespace {

// A call of one variant on views that are never read: the lookup and the domains go by shapes,
// strides and parameters alone.
class StubCall {
public:
  StubCall(const Variant &variant, const VariantContract &contract, int dtype_case, ConstView image)
      : image_(image) {
    const DtypeCase &dtypes = variant.dtypes[static_cast<std::size_t>(dtype_case)];
    Random random(7);
    params_ = contract.make_params(0, image.channels(), dtype_case, random);
    call_.params = params_.get();
    call_.flags = contract.flags != nullptr ? contract.flags(params_.get()) : 0;
    call_.dtype_case = static_cast<std::uint8_t>(dtype_case);
    for (int i = 0; i < contract.inputs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Extents shape = contract.input_shape != nullptr
                                ? contract.input_shape(i, image_.shape, params_.get())
                                : image_.shape;
      inputs_[at] = image_;
      if (shape != image_.shape) {
        inputs_[at].shape = shape;
        inputs_[at].strides = contiguous_strides(shape, size_of(dtypes.in[at]));
      }
      inputs_[at].dtype = dtypes.in[at];
      call_.in[at] = &inputs_[at];
    }
    for (int i = 0; i < contract.outputs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Extents shape = contract.output_shape != nullptr
                                ? contract.output_shape(i, image_.shape, params_.get())
                                : image_.shape;
      const Dtype dtype = dtypes.out[at];
      outputs_[at] = View(memory_.data(), shape, contiguous_strides(shape, size_of(dtype)), dtype);
      call_.out[at] = &outputs_[at];
    }
  }
  StubCall(const StubCall &) = delete;
  StubCall &operator=(const StubCall &) = delete;
  [[nodiscard]] const Call &call() const { return call_; }
  [[nodiscard]] RouteKey key(int threads) const {
    return {image_.channels(), image_.elements(), layout_of(image_), kInto, threads};
  }

private:
  alignas(64) static inline std::array<std::byte, 64> memory_{};
  ConstView image_;
  std::shared_ptr<const void> params_;
  std::array<ConstView, 3> inputs_;
  std::array<View, 2> outputs_;
  Call call_;
};

// Views of any extent over one address.
std::vector<ConstView> unmeasured_views(Dtype dtype) {
  alignas(64) static std::array<std::byte, 64> memory{};
  const std::vector<Extents> shapes = {
      {1, 37, 53, 7},        {1, 100, 333, 513}, {1, 1, 40000, 1},     {1, 1, 40000, 3},
      {1, 40000, 1, 3},      {1, 33, 71, 5},     {1, 32768, 32768, 3}, {1, 65536, 32769, 1},
      {1, 1, 1 << 30, 4},    {1, 1, 1, 1},       {1, 2, 3, 5000},      {3000, 16, 16, 1},
      {1, 50000, 50000, 64}, {2, 719, 1279, 2},
  };
  std::vector<ConstView> views;
  for (const Extents &shape : shapes) {
    const std::uint8_t rank = shape[kX] > 1 ? 4 : 3;
    const ConstView plain{memory.data(), shape, contiguous_strides(shape, size_of(dtype)), dtype,
                          rank};
    views.push_back(plain);
    for (const Axis axis : {kH, kW, kC}) {
      views.push_back(reversed(plain, axis));
    }
    ConstView apart = plain;
    apart.strides[kH] += 3 * size_of(dtype);
    views.push_back(apart);
    ConstView odd = plain;
    odd.strides[kW] = 4097;
    views.push_back(odd);
  }
  return views;
}

// Calls each(router's variant, stub) for every variant, dtype case and unmeasured view, or only for
// one in `every` of them, from number `first` on.
template <class Each>
void with_unmeasured_calls(const Router &router, Each &&each, unsigned every = 1,
                           unsigned first = 0) {
  unsigned turn = first;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      const VariantContract *contract = candidates::find_contract(variant.name);
      REQUIRE(contract != nullptr);
      if (!contract->shapes.empty()) {
        continue; // not on images
      }
      for (std::size_t d = 0; d < variant.dtypes.size(); ++d) {
        for (const ConstView &view : unmeasured_views(variant.dtypes[d].in[0])) {
          if (turn++ % every != 0) {
            continue;
          }
          const StubCall stub(variant, *contract, static_cast<int>(d), view);
          INFO(variant.name << " " << variant.dtypes[d].name << " " << view.shape[kX] << "x"
                            << view.shape[kH] << "x" << view.shape[kW] << "x" << view.shape[kC]);
          each(router.variant_index(variant.name), variant, stub);
        }
      }
    }
  }
}

// What must hold of a decision, whatever the table said.
void require_safe(const Variant &variant, const StubCall &stub, const Decision &decision,
                  const RouteKey &key) {
  REQUIRE(decision.candidate != nullptr);
  REQUIRE(decision.candidate >= variant.candidates.data());
  REQUIRE(decision.candidate < variant.candidates.data() + variant.candidates.size());
  REQUIRE(decision.candidate->refuses(stub.call()) == nullptr);
  REQUIRE(decision.candidate->exactness[stub.call().dtype_case] >= key.exactness);
  REQUIRE(decision.threads >= 1);
  REQUIRE(decision.threads <= key.threads);
}

// Names and numbers that a table should not hold, beside those that it should.
class HostileTable {
public:
  explicit HostileTable(std::mt19937_64 &random) : random_(random) {
    for (int i = 0; i < 40; ++i) {
      alternatives_.push_back({pick(kIds), number<int>()});
    }
    const std::size_t count = random() % 60;
    while (routes_.size() < count) {
      Route route;
      const Variant &variant = some_variant();
      route.variant = random() % 8 == 0 ? "no/such" : variant.name;
      route.dtype =
          random() % 8 == 0 ? "i64" : variant.dtypes[random() % variant.dtypes.size()].name;
      route.channels = number<std::int64_t>();
      route.layout = static_cast<LayoutClass>(random() % 9);
      route.output = static_cast<OutputMode>(random() % 5);
      route.thread_budget = number<int>();
      // A run of regions of one class, in any order.
      for (std::size_t k = random() % 4 + 1; k > 0; --k) {
        route.from = number<std::int64_t>();
        route.to = number<std::int64_t>();
        route.measured_from = number<std::int64_t>();
        route.measured_to = number<std::int64_t>();
        route.ranking =
            random() % 3 == 0 ? number<std::uint32_t>() : static_cast<std::uint32_t>(random() % 45);
        route.ranked =
            random() % 3 == 0 ? number<std::uint32_t>() : static_cast<std::uint32_t>(random() % 8);
        routes_.push_back(route);
      }
    }
  }
  [[nodiscard]] RouteTable table() const { return {"here", "", routes_, alternatives_}; }

private:
  static constexpr std::array<std::string_view, 10> kIds{
      "fused", "lut", "stringzilla", "numkong", "opencv", "aten", "loop", "vanished", "", "\n"};

  template <class Names> std::string_view pick(const Names &names) {
    return names[random_() % names.size()];
  }
  const Variant &some_variant() {
    const auto ops = candidates::ops();
    const OpTable &op = *ops[random_() % ops.size()];
    return op.variants[random_() % op.variants.size()];
  }
  template <class T> T number() {
    switch (random_() % 5) {
    case 0:
      return std::numeric_limits<T>::max();
    case 1:
      return std::numeric_limits<T>::min();
    case 2:
      return static_cast<T>(random_() % 5);
    case 3:
      return static_cast<T>(-static_cast<std::int64_t>(random_() % 1000));
    default:
      return static_cast<T>(random_());
    }
  }

  std::mt19937_64 &random_;
  std::vector<Route> routes_;
  std::vector<RouteAlternative> alternatives_;
};

} // namespace

TEST_CASE("TUN-10: shapes that nobody measured get a candidate that accepts them") {
  for (const RouteTable &table : compiled_routes()) {
    const Router router(candidates::ops(), std::span(&table, 1), table.profile);
    with_unmeasured_calls(router, [&](int index, const Variant &variant, const StubCall &stub) {
      for (const int threads : {1, 2, 64}) {
        for (const Exactness exactness : {faithful, bitwise}) {
          RouteKey key = stub.key(threads);
          key.exactness = exactness;
          require_safe(variant, stub, router.decide(index, stub.call(), key), key);
        }
      }
    });
  }
}

TEST_CASE("TUN-10: sizes between and beyond the measured ones stay in the regions of their class") {
  const Router router(kOps, std::span(&kTable, 1), "here");
  // Never to something else at an extreme: the last region reaches to the end.
  CHECK(ask(router, {3, 0}) == Asked{"small", Grade::near, 1});
  CHECK(ask(router, {3, 1}) == Asked{"small", Grade::near, 1});
  for (const std::int64_t elements : {std::int64_t{5000}, std::int64_t{9999}}) {
    CHECK(ask(router, {3, elements}) == Asked{"fused", Grade::exact, 1});
  }
  for (const std::int64_t elements : {std::int64_t{1} << 31, std::int64_t{1} << 62, kUnbounded}) {
    CHECK(ask(router, {3, elements}) == Asked{"fused", Grade::near, 1});
  }
  // A table that ends too early serves what lies beyond by its last region.
  constexpr Route kShort[] = {
      {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 0, 1000, 100, 900, 0, 2}};
  const RouteTable table{"here", "", kShort, kAlternatives};
  CHECK(ask(Router(kOps, std::span(&table, 1), "here"), {3, 100000}) ==
        Asked{"small", Grade::near, 1});
}

TEST_CASE("TUN-10: every alternative of every ranking is asked whether it accepts the call") {
  // Each route ranks first what refuses: too many channels, or not in the build.
  constexpr RouteAlternative kNames[] = {{"absent", 1}, {"small", 1}, {"loop", 1}};
  constexpr Route kLines[] = {
      {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 0, 1000, 1, 5000, 0, 3},
      {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 1000, kUnbounded, 1, 5000, 1, 1}};
  const RouteTable table{"here", "", kLines, kNames};
  const Router router(kOps, std::span(&table, 1), "here");
  for (const std::int64_t channels : {1, 3, 4}) {
    CHECK(ask(router, {channels, 500}).candidate == "small");
    CHECK(ask(router, {channels, 5000}).candidate == "small");
  }
  for (const std::int64_t channels : {5, 7, 513}) {
    CHECK(ask(router, {channels, 500}) == Asked{"loop", Grade::near, 1});
    // A ranking that serves no one leaves the call to the order of the op's table.
    CHECK(ask(router, {channels, 5000}) == Asked{"fused", Grade::default_order, 1});
  }
}

TEST_CASE("Random hostile tables neither crash nor choose a candidate that refuses") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const HostileTable hostile(random);
    const RouteTable table = hostile.table();
    const bool loaded = seed % 2 == 0; // either as a compiled table or as one from a file
    const Router router(candidates::ops(),
                        loaded ? compiled_routes() : std::span<const RouteTable>(&table, 1), "here",
                        loaded ? &table : nullptr);
    const auto check = [&](int index, const Variant &variant, const StubCall &stub) {
      const RouteKey key = stub.key(static_cast<int>(random() % 4 + 1));
      require_safe(variant, stub, router.decide(index, stub.call(), key), key);
      const auto ranking = router.ranking(index, stub.call().dtype_case, key);
      REQUIRE(std::all_of(ranking.begin(), ranking.end(),
                          [](const auto &each) { return each.candidate->built(); }));
    };
    with_unmeasured_calls(router, check, 13, seed);
  }
}

TEST_CASE("A table of very many classes, regions and names is cut to what a program can hold") {
  std::vector<Route> routes;
  for (std::int64_t i = 0; i < 70000; ++i) { // regions of one class
    routes.push_back({"tone/scalar", "u8", 3, kContiguous, kInto, 1, i, i + 1, 1, 99, 0, 2});
  }
  for (int i = 0; i < 3000; ++i) { // classes
    routes.push_back(
        {"tone/scalar", "f32", i, kContiguous, kInto, i, 0, kUnbounded, 1, 99, 2, 4000000000U});
  }
  std::vector<std::string> names;
  std::vector<RouteAlternative> alternatives(std::begin(kAlternatives), std::end(kAlternatives));
  for (int i = 0; i < 1000; ++i) {
    names.push_back("vanished_" + std::to_string(i));
  }
  for (const std::string &name : names) {
    alternatives.push_back({name, 1});
  }
  const RouteTable table{"here", "", routes, alternatives};
  const Router router(kOps, std::span(&table, 1), "here");
  CHECK(router.warnings().size() == 64);
  CHECK(ask(router, {3, 69999}) == Asked{"small", Grade::near, 1});
  CHECK(ask(router, {3, std::int64_t{1} << 40}) == Asked{"small", Grade::near, 1});
  CHECK(ask(router, {3, 50}).grade == Grade::exact);
  CHECK(ask(router, {7, 50}, 1).candidate == "fused");
}

// ---- profiles and loaded tables -----------------------------------------------------------------

TEST_CASE("A machine without a table of its own gets the portable one, never as a measured one") {
  constexpr Route kLoop[] = {
      {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 0, kUnbounded, 100, 10000, 1, 1}};
  const std::array tables{kTable, RouteTable{kPortableProfile, "", kLoop, kAlternatives}};
  CHECK(serving_table(tables, "here") == &tables[0]);
  CHECK(serving_table(tables, "elsewhere") == &tables[1]);
  CHECK(serving_table(tables, kPortableProfile) == &tables[1]);
  CHECK(serving_table(std::span(tables).first(1), "elsewhere") == &tables[0]);
  CHECK(serving_table({}, "here") == nullptr);
  CHECK(ask(Router(kOps, tables, "here"), {3, 300}) == Asked{"small", Grade::exact, 1});
  CHECK(ask(Router(kOps, tables, "elsewhere"), {3, 300}) == Asked{"loop", Grade::other_machine, 1});
  CHECK(ask(Router(kOps, tables, kPortableProfile), {3, 300}) ==
        Asked{"loop", Grade::other_machine, 1});
}

TEST_CASE("A loaded table comes first, and the compiled one keeps what it has no route for") {
  constexpr Route kLoop[] = {
      {"tone/scalar", "f32", 3, kContiguous, kInto, 1, 0, kUnbounded, 100, 10000, 1, 1}};
  const RouteTable own{"here", "", kLoop, kAlternatives};
  const RouteTable foreign{"elsewhere", "", kLoop, kAlternatives};
  const Router router(kOps, std::span(&kTable, 1), "here", &own);
  CHECK(ask(router, {3, 300}, 1) == Asked{"loop", Grade::exact, 1});
  CHECK(ask(router, {3, 300}, 0) == Asked{"small", Grade::exact, 1});
  const Router other(kOps, std::span(&kTable, 1), "here", &foreign);
  CHECK(ask(other, {3, 300}, 1) == Asked{"loop", Grade::other_machine, 1});
  CHECK(ask(other, {3, 300}, 0) == Asked{"small", Grade::exact, 1});
  // One whose names are all unknown serves nothing.
  constexpr RouteAlternative kGone[] = {{"vanished", 1}};
  constexpr Route kLines[] = {
      {"tone/scalar", "u8", 3, kContiguous, kInto, 1, 0, kUnbounded, 1, 9, 0, 1}};
  const RouteTable gone{"here", "", kLines, kGone};
  const Router without(kOps, std::span(&kTable, 1), "here", &gone);
  CHECK(ask(without, {3, 300}) == Asked{"small", Grade::exact, 1});
  CHECK(without.warnings().size() == 1);
  CHECK_FALSE(Router(kOps, {}, "here", &gone).has_routes());
  CHECK(Router(kOps, {}, "here", &own).has_routes());
}
