// lut beyond what its contract states in numbers: bits, neighbouring memory, threads.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/contracts/guarded_bytes.hpp"
#include "candidates/lut/params.hpp"
#include "candidates/registry.hpp"

namespace switchyard {
namespace {

using oracle::GuardedBytes;

// Runs every candidate that takes the call, on every SIMD target, and returns how many did.
int run_all(const char *variant, const Call &call, const std::function<void()> &check) {
  int taken = 0;
  conformance::for_each_simd_target([&](const std::string &target) {
    for (const Candidate &candidate : candidates::find_variant(variant)->candidates) {
      if (candidate.refuses(call) == nullptr) {
        INFO(candidate.id << " on " << target);
        candidate.run(call);
        check();
        ++taken;
      }
    }
  });
  return taken;
}

Call call_of(const ConstView &in, const View &out, const LutParams &params, int dtype_case) {
  Call call;
  call.in[0] = &in;
  call.out[0] = &out;
  call.params = &params;
  call.dtype_case = static_cast<std::uint8_t>(dtype_case);
  return call;
}

std::uint8_t reversed_bits(std::uint8_t x) {
  std::uint8_t out = 0;
  for (int bit = 0; bit < 8; ++bit) {
    out = static_cast<std::uint8_t>(out | (((x >> bit) & 1) << (7 - bit)));
  }
  return out;
}

// In and out end where an inaccessible page begins, or begin where one ends.
void check_bit_reversal(std::int64_t n, bool at_end) {
  const GuardedBytes table_bytes(256, at_end);
  const GuardedBytes in_bytes(static_cast<std::size_t>(n), at_end);
  const GuardedBytes out_bytes(static_cast<std::size_t>(n), at_end);
  auto *table = reinterpret_cast<std::uint8_t *>(table_bytes.data());
  auto *in = reinterpret_cast<std::uint8_t *>(in_bytes.data());
  auto *out = reinterpret_cast<std::uint8_t *>(out_bytes.data());
  for (int x = 0; x < 256; ++x) {
    table[x] = reversed_bits(static_cast<std::uint8_t>(x));
  }
  std::vector<std::uint8_t> expected;
  for (std::int64_t i = 0; i < n; ++i) {
    in[i] = static_cast<std::uint8_t>(255 - i * 37); // bytes above 127 first, every value in 256
    expected.push_back(reversed_bits(in[i]));
  }
  const ConstView view = array_1d(in, n);
  const View result = array_1d(out, n);
  const LutParams params{strided(table, {1, 1, 256, 1}, {256, 256, 1, 1})};
  const int taken = run_all("lut/shared", call_of(view, result, params, 0), [&] {
    CHECK(std::equal(expected.begin(), expected.end(), out));
    std::memset(out, 0, static_cast<std::size_t>(n));
  });
  CHECK(taken >= 3);
}

TEST_CASE("lut maps every byte at every length, next to memory that may not be touched") {
  for (const bool at_end : {false, true}) {
    for (std::int64_t n = 1; n <= 70; ++n) {
      check_bit_reversal(n, at_end);
    }
    for (const std::int64_t n : {127, 128, 129, 255, 256, 300, 4095}) {
      check_bit_reversal(n, at_end);
    }
  }
}

TEST_CASE("lut carries the bits of f32 entries, payloads of NaN included") {
  constexpr std::array<std::uint32_t, 6> kBits = {0x7FC12345, 0xFFC0BEEF, 0x7F800001,
                                                  0x80000000, 0xFF800000, 0x00000001};
  for (const std::int64_t channels : {1, 3, 5}) {
    std::vector<std::uint32_t> bits;
    for (std::int64_t i = 0; i < 256 * channels; ++i) {
      bits.push_back(kBits[static_cast<std::size_t>(i) % kBits.size()] ^
                     static_cast<std::uint32_t>(i << 8));
    }
    std::vector<float> table(bits.size());
    std::memcpy(table.data(), bits.data(), bits.size() * sizeof(float));
    std::vector<std::uint8_t> in;
    for (std::int64_t i = 0; i < 5 * 67 * channels; ++i) {
      in.push_back(static_cast<std::uint8_t>(i * 91 + 200));
    }
    std::vector<float> out(in.size());
    const ConstView view = hwc(static_cast<const std::uint8_t *>(in.data()), 5, 67, channels);
    const View result = hwc(out.data(), 5, 67, channels);
    const Extents shape{1, 1, 256, channels};
    const LutParams params{strided(table.data(), shape, contiguous_strides(shape, 4))};
    const char *variant = channels == 1 ? "lut/shared" : "lut/per_channel";
    const int taken = run_all(variant, call_of(view, result, params, 1), [&] {
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t c = i % static_cast<std::size_t>(channels);
        std::uint32_t got = 0;
        std::memcpy(&got, &out[i], sizeof got);
        REQUIRE(got == bits[in[i] * static_cast<std::size_t>(channels) + c]);
      }
      std::fill(out.begin(), out.end(), 0.0F);
    });
    CHECK(taken >= 3);
  }
}

std::ptrdiff_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_CASE("lut of an image beyond OpenCV's own threshold starts no thread") {
  constexpr std::int64_t kHeight = 1100;
  constexpr std::int64_t kWidth = 1000;
  std::vector<std::uint8_t> in(kHeight * kWidth);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::uint8_t>(i * 7 + i / 1000);
  }
  std::vector<std::uint8_t> table(256);
  for (std::size_t x = 0; x < 256; ++x) {
    table[x] = static_cast<std::uint8_t>(255 - x);
  }
  std::vector<std::uint8_t> out(in.size());
  const ConstView view = hwc(in.data(), kHeight, kWidth, 1);
  const View result = hwc(out.data(), kHeight, kWidth, 1);
  const LutParams params{strided(table.data(), {1, 1, 256, 1}, {256, 256, 1, 1})};
  const std::ptrdiff_t before = thread_count();
  run_all("lut/shared", call_of(view, result, params, 0), [&] {
    CHECK(std::equal(in.begin(), in.end(), out.begin(),
                     [](std::uint8_t x, std::uint8_t y) { return y == 255 - x; }));
    CHECK(thread_count() == before);
  });
}

} // namespace
} // namespace switchyard
