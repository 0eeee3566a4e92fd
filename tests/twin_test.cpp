// The traffic twin moves what it says: every byte of the inputs and outputs, and no other. On every
// SIMD target, in every layout, with both kinds of stores.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "bench/conformance/memory.hpp"
#include "bench/measure/twin.hpp"
#include "candidates/reduction/params.hpp"
#include "candidates/registry.hpp"
#include "router/split.hpp"

using namespace switchyard;
using namespace switchyard::measure;
using conformance::GuardedMemory;

namespace {

// One array of a call.
struct Given {
  Dtype dtype = Dtype::u8;
  LayoutClass layout = LayoutClass::contiguous;
  std::uint64_t seed = 1;
  std::optional<Extents> shape = {}; // else that of the call
};

// A call on guarded memory.
class Arrays {
public:
  Arrays(const Extents &shape, std::vector<Given> in, std::vector<Given> out,
         bool unaligned = false)
      : inputs_(in.size()) {
    for (std::size_t i = 0; i < in.size() + out.size(); ++i) {
      const bool input = i < in.size();
      const Given &given = input ? in[i] : out[i - in.size()];
      const Extents extents = given.shape.value_or(shape);
      const std::int64_t size = size_of(given.dtype);
      const Extents strides = conformance::strides_of(
          extents, size, {given.layout, unaligned, input, given.seed, false, !input});
      memory_.emplace_back(ConstView{nullptr, extents, strides, given.dtype, 4}, unaligned);
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::size_t o = i - inputs_;
      i < inputs_ ? void(call_.in[i] = &memory_[i].view())
                  : void(call_.out[o] = &memory_[i].view());
    }
  }
  [[nodiscard]] const Call &call() const { return call_; }
  [[nodiscard]] std::vector<GuardedMemory> &memory() { return memory_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t count() const { return memory_.size(); }

  // Everything, guards and gaps included.
  void fill(std::size_t array, int value) {
    const auto region = memory_[array].region();
    std::memset(region.data(), value, region.size());
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t array) const {
    const auto region = memory_[array].region();
    return {region.begin(), region.end()};
  }
  // Which bytes of the region belong to elements.
  [[nodiscard]] std::vector<bool> elements(std::size_t array) const {
    const View &view = memory_[array].view();
    std::vector<bool> owned(memory_[array].region().size());
    const Extents &n = view.shape;
    for (std::int64_t i = 0; i < view.elements(); ++i) {
      const std::byte *at = view.at(i / (n[kC] * n[kW] * n[kH]), i / (n[kC] * n[kW]) % n[kH],
                                    i / n[kC] % n[kW], i % n[kC]);
      const auto offset = static_cast<std::size_t>(at - memory_[array].region().data());
      std::fill_n(owned.begin() + static_cast<std::ptrdiff_t>(offset), size_of(view.dtype), true);
    }
    return owned;
  }

private:
  std::size_t inputs_;
  std::vector<GuardedMemory> memory_;
  Call call_;
};

using Mover = std::function<void(const Call &)>;

// Runs `move` over outputs full of zeros and full of ones, and says what was wrong.
std::string wrong_writes(Arrays &arrays, const Mover &move) {
  std::vector<std::vector<std::byte>> zeros;
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t i = 0; i < arrays.inputs(); ++i) {
    conformance::fill_pattern(arrays.memory()[i].region(), i + 1);
    inputs.push_back(arrays.bytes(i));
  }
  for (const int value : {0x00, 0xFF}) {
    for (std::size_t o = arrays.inputs(); o < arrays.count(); ++o) {
      arrays.fill(o, value);
    }
    move(arrays.call());
    for (std::size_t o = arrays.inputs(); o < arrays.count(); ++o) {
      const std::vector<bool> owned = arrays.elements(o);
      const std::vector<std::byte> found = arrays.bytes(o);
      for (std::size_t b = 0; b < found.size(); ++b) {
        const auto canary = static_cast<std::byte>(value);
        if (!owned[b] && found[b] != canary) {
          return "wrote byte " + std::to_string(b) + ", which is not the output's";
        }
        if (owned[b] && value == 0xFF && found[b] != zeros[o - arrays.inputs()][b]) {
          return "left out byte " + std::to_string(b);
        }
      }
      zeros.push_back(found);
    }
  }
  for (std::size_t i = 0; i < arrays.inputs(); ++i) {
    if (arrays.bytes(i) != inputs[i]) {
      return "wrote to an input";
    }
  }
  return {};
}

// Bytes of inputs that do not show when they are the only ones that are not 0.
std::size_t unread_bytes(Arrays &arrays, Stores stores, std::size_t step) {
  std::size_t unread = 0;
  for (std::size_t i = 0; i < arrays.count(); ++i) {
    arrays.fill(i, 0);
  }
  if (move_traffic(arrays.call(), stores)) {
    return 1; // there is nothing to be seen
  }
  for (std::size_t i = 0; i < arrays.inputs(); ++i) {
    const std::vector<bool> owned = arrays.elements(i);
    const auto region = arrays.memory()[i].region();
    for (std::size_t b = 0; b < owned.size(); b += owned[b] ? step : 1) {
      if (owned[b]) {
        region[b] = std::byte{0x40};
        unread += move_traffic(arrays.call(), stores) ? 0 : 1;
        region[b] = std::byte{0};
      }
    }
  }
  return unread;
}

constexpr LayoutClass kLayouts[] = {LayoutClass::contiguous, LayoutClass::rows,
                                    LayoutClass::reversed,   LayoutClass::plane,
                                    LayoutClass::planar,     LayoutClass::other};
constexpr Extents kShapes[] = {{1, 1, 1, 1},  {1, 3, 5, 1},   {1, 7, 13, 3}, {2, 3, 17, 4},
                               {3, 4, 33, 1}, {1, 5, 129, 3}, {1, 2, 40, 33}};

// Calls body(arrays, text) for every mixture of layouts, element types and shapes.
template <class Body> void for_each_problem(Body &&body) {
  using enum Dtype;
  const std::vector<std::pair<std::vector<Dtype>, std::vector<Dtype>>> kinds = {
      {{u8}, {u8}},  {{f32}, {f32}},    {{u8}, {f32}},           {{f32}, {u8}},
      {{u16}, {u8}}, {{u8, f32}, {u8}}, {{f32, f32}, {f32}},     {{u8, u8, f32}, {f64}},
      {{f64}, {}},   {{u8}, {u8, f32}}, {{u16, u8}, {u16, u16}},
  };
  std::uint64_t seed = 0;
  for (const auto &[in, out] : kinds) {
    for (const Extents &shape : kShapes) {
      for (const LayoutClass layout : kLayouts) {
        for (const bool mixed : {false, true}) { // the outputs contiguous
          std::vector<Given> inputs;
          std::vector<Given> outputs;
          for (const Dtype dtype : in) {
            inputs.push_back({dtype, layout, ++seed, {}});
          }
          for (const Dtype dtype : out) {
            outputs.push_back({dtype, mixed ? LayoutClass::contiguous : layout, ++seed, {}});
          }
          Arrays arrays(shape, inputs, outputs, seed % 5 == 0);
          std::string text = std::string(name_of(layout)) + (mixed ? " to contiguous" : "");
          for (const std::int64_t n : shape) {
            text += " " + std::to_string(n);
          }
          for (const Dtype dtype : in) {
            text += " " + std::string(name_of(dtype));
          }
          body(arrays, text + " seed " + std::to_string(seed));
        }
      }
    }
  }
}

} // namespace

TEST_CASE("The twin writes every byte of its outputs and no other, and leaves inputs alone",
          "[twin]") {
  conformance::for_each_simd_target([](const std::string &target) {
    std::size_t problems = 0;
    for_each_problem([&](Arrays &arrays, const std::string &text) {
      for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
        const std::string wrong =
            wrong_writes(arrays, [&](const Call &call) { move_traffic(call, stores); });
        INFO(target << " " << text << " stores " << static_cast<int>(stores));
        REQUIRE(wrong == "");
        ++problems;
      }
    });
    CHECK(problems == 2 * 11 * 7 * 6 * 2);
  });
}

TEST_CASE("The twin reads every byte of its inputs", "[twin]") {
  conformance::for_each_simd_target([](const std::string &target) {
    for_each_problem([&](Arrays &arrays, const std::string &text) {
      const auto elements = static_cast<std::size_t>(arrays.call().in[0]->elements());
      const std::size_t step = elements > 300 ? 37 : elements > 50 ? 7 : 1;
      INFO(target << " " << text);
      REQUIRE(unread_bytes(arrays, Stores::ordinary, step) == 0);
      REQUIRE(unread_bytes(arrays, Stores::streaming, 3 * step) == 0);
    });
  });
}

TEST_CASE("Long copies are moved whole, as the C library does them too", "[twin]") {
  Arrays arrays({1, 600, 500, 1}, {{Dtype::u8, LayoutClass::contiguous, 1, {}}},
                {{Dtype::u8, LayoutClass::contiguous, 2, {}}});
  for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
    CHECK(wrong_writes(arrays, [&](const Call &call) { move_traffic(call, stores); }) == "");
    CHECK(std::memcmp(arrays.call().in[0]->data, arrays.call().out[0]->data, 600 * 500) == 0);
  }
}

TEST_CASE("Bands on several threads move what the whole call moves", "[twin]") {
  for (const LayoutClass layout : kLayouts) {
    for (const Candidate &twin : twins()) {
      Arrays arrays({1, 40, 31, 3}, {{Dtype::u8, layout, 5, {}}}, {{Dtype::u8, layout, 8, {}}});
      INFO(name_of(layout) << " " << twin.id);
      CHECK(wrong_writes(arrays, [&](const Call &call) { run_split(twin, call, 2); }) == "");
    }
  }
}

TEST_CASE("In place, the twin rewrites the buffer and nothing between its elements", "[twin]") {
  for (const LayoutClass layout : kLayouts) {
    for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
      Arrays arrays({1, 24, 37, 3}, {{Dtype::f32, layout, 5, {}}}, {});
      conformance::fill_pattern(arrays.memory()[0].region(), 3);
      const std::vector<std::byte> before = arrays.bytes(0);
      const std::vector<bool> owned = arrays.elements(0);
      Call call = arrays.call();
      call.out[0] = &arrays.memory()[0].view();
      call.flags = kInPlace;
      move_traffic(call, stores);
      const std::vector<std::byte> after = arrays.bytes(0);
      INFO(name_of(layout));
      for (std::size_t b = 0; b < after.size(); ++b) {
        REQUIRE((owned[b] || after[b] == before[b]));
      }
    }
  }
}

TEST_CASE("What is moved is counted once for each distinct element", "[twin]") {
  using enum Dtype;
  const auto moved = [](const Extents &shape, std::vector<Given> in, std::vector<Given> out) {
    const Arrays arrays(shape, std::move(in), std::move(out));
    return moved_by(arrays.call());
  };
  constexpr Extents kShape = {1, 6, 7, 3};
  constexpr std::int64_t kN = 6 * 7 * 3;
  CHECK(moved(kShape, {{u8}}, {{f32}}) == Moved{kN, 4 * kN});
  CHECK(moved(kShape, {{u8}, {f32}}, {{u8}}) == Moved{5 * kN, kN});
  CHECK(moved(kShape, {{f32}}, {}) == Moved{4 * kN, 0});
  for (const LayoutClass layout : kLayouts) {
    CHECK(moved(kShape, {{u8, layout, 1, {}}}, {{u16, layout, 1, {}}}) == Moved{kN, 2 * kN});
  }
  // One row seen six times; one value seen everywhere.
  std::array<float, 21> row{};
  const ConstView rows{row.data(), kShape, {0, 0, 12, 4}, f32};
  const ConstView value{row.data(), kShape, {0, 0, 0, 0}, f32};
  const ConstView spread_over_channels{row.data(), {1, 1, 7, 3}, {0, 0, 4, 0}, f32};
  Call call;
  call.in = {&rows, &value, &spread_over_channels};
  CHECK(moved_by(call) == Moved{4 * 21 + 4 + 4 * 7, 0});
  Arrays results({1, 6, 7, 3}, {{u8}}, {{f64, LayoutClass::contiguous, 1, Extents{1, 1, 1, 3}}});
  CHECK(moved_by(results.call()) == Moved{kN, 24});
  CHECK(twins_of(results.call()).size() == 2);
  Arrays reduction({1, 60, 70, 3}, {{u8}},
                   {{f64, LayoutClass::contiguous, 1, Extents{1, 1, 1, 1}}});
  CHECK(twins_of(reduction.call()).size() == 1); // streaming eight bytes is no other limit
  CHECK(wrong_writes(reduction, [](const Call &c) { move_traffic(c, Stores::ordinary); }) == "");
  CHECK(unread_bytes(reduction, Stores::ordinary, 1) == 0);
  CHECK(moved({1, 0, 5, 3}, {{u8}}, {{u8}}) == Moved{0, 0});
}

TEST_CASE("The reader of a chained call reads every byte of the outputs", "[twin]") {
  for (const LayoutClass layout : kLayouts) {
    Arrays arrays({1, 9, 23, 3}, {{Dtype::u8}}, {{Dtype::f32, layout, 5, {}}});
    arrays.fill(0, 0xFF);
    arrays.fill(1, 0);
    CHECK_FALSE(read_outputs(arrays.call()));
    const std::vector<bool> owned = arrays.elements(1);
    const auto region = arrays.memory()[1].region();
    for (std::size_t b = 0; b < owned.size(); ++b) {
      region[b] = owned[b] ? std::byte{1} : region[b];
      const bool seen = read_outputs(arrays.call());
      region[b] = std::byte{0};
      REQUIRE(seen == owned[b]);
    }
  }
}

TEST_CASE("Twins have ids, no backend, and accept what any candidate accepts", "[twin]") {
  REQUIRE(twins().size() == 2);
  CHECK(twins()[0].id == "twin");
  CHECK(twins()[1].id == "twin_stream");
  for (const Candidate &twin : twins()) {
    CHECK(twin.backend.empty());
    CHECK(twin.split == Split::rows);
    Arrays arrays({1, 3, 5, 1}, {{Dtype::u8}}, {{Dtype::u8}});
    Call call = arrays.call();
    for (std::uint8_t dtype = 0; dtype < kMaxDtypeCases; ++dtype) {
      call.dtype_case = dtype;
      CHECK(twin.refuses(call) == nullptr);
    }
  }
}

TEST_CASE("Reading alone takes no longer than summing what is read", "[twin]") {
  // In the second-level cache, where a reduction of u8 reads as fast as the CPU can.
  Arrays arrays({1, 240, 320, 4}, {{Dtype::u8}},
                {{Dtype::u64, LayoutClass::contiguous, 1, Extents{1, 1, 1, 1}}});
  Call call = arrays.call();
  const ReductionParams params;
  call.params = &params;
  const Candidate &sum = candidates::find_variant("reduce_sum/global")->candidates.front();
  REQUIRE(sum.id == "fused");
  const auto time = [&](const Candidate &candidate) {
    constexpr int kCalls = 20;
    candidate.run(call);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) {
      candidate.run(call);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> ratios; // of times side by side, so that both see the same machine
  for (int round = 0; round < 61; ++round) {
    const double reading = time(twins()[0]);
    ratios.push_back(reading / time(sum));
  }
  std::nth_element(ratios.begin(), ratios.begin() + 30, ratios.end());
  CHECK(ratios[30] < 1.25); // 1.45 when chunks were read one by one
}
