// hflip beyond what its contract states in numbers: bits and neighbouring memory.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/contracts/guarded_bytes.hpp"
#include "candidates/registry.hpp"
#include "switchyard/core/contract.hpp"

namespace switchyard {
namespace {

using oracle::GuardedBytes;

struct Image {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t element;
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(height * width * channels * element);
  }
};

// The rows of `in` with pixels reversed, byte by byte.
std::vector<std::byte> flipped(const Image &image, const std::byte *in) {
  std::vector<std::byte> out;
  const std::int64_t pixel = image.channels * image.element;
  for (std::int64_t h = 0; h < image.height; ++h) {
    for (std::int64_t w = image.width - 1; w >= 0; --w) {
      const std::byte *from = in + (h * image.width + w) * pixel;
      out.insert(out.end(), from, from + pixel);
    }
  }
  return out;
}

// Every candidate on every SIMD target, in memory that ends or begins at an inaccessible page.
int check(const Image &image, bool at_end) {
  const GuardedBytes in(image.bytes(), at_end);
  const GuardedBytes out(image.bytes(), at_end);
  Random random(3);
  for (std::size_t i = 0; i < image.bytes(); ++i) {
    // Every fourth byte makes an f32 NaN or an infinity of any payload.
    in.data()[i] = static_cast<std::byte>(i % 4 == 3   ? 0x7F
                                          : i % 4 == 2 ? 0x80 | random()
                                                       : random());
  }
  const std::vector<std::byte> expected = flipped(image, in.data());
  const Extents shape{1, image.height, image.width, image.channels};
  const Dtype dtype = image.element == 1 ? Dtype::u8 : Dtype::f32;
  const ConstView view{in.data(), shape, contiguous_strides(shape, image.element), dtype, 3};
  const View result(out.data(), shape, view.strides, dtype);
  Call call;
  call.in[0] = &view;
  call.out[0] = &result;
  call.dtype_case = image.element == 1 ? 0 : 1;
  int taken = 0;
  conformance::for_each_simd_target([&](const std::string &target) {
    for (const Candidate &candidate : candidates::find_variant("hflip")->candidates) {
      if (candidate.refuses(call) == nullptr) {
        std::memset(out.data(), 0, image.bytes());
        candidate.run(call);
        INFO(candidate.id << " on " << target << ", " << image.width << " pixels of "
                          << image.channels << " channels");
        CHECK(std::memcmp(out.data(), expected.data(), image.bytes()) == 0);
        ++taken;
      }
    }
  });
  return taken;
}

TEST_CASE("hflip keeps every bit and touches nothing beside its images") {
  for (const bool at_end : {false, true}) {
    for (const std::int64_t element : {1, 4}) {
      for (std::int64_t channels = 1; channels <= 18; ++channels) {
        for (const std::int64_t width : {1, 2, 3, 5, 6, 16, 17, 31, 67, 130}) {
          CHECK(check({3, width, channels, element}, at_end) >= 3);
        }
      }
    }
  }
}

} // namespace
} // namespace switchyard
