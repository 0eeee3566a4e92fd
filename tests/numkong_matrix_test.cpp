// What NumKong's own call makes of infinities in a product, and what the contract asks for.
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "candidates/common/numkong_kernels.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

TEST_CASE("NumKong's compensated f64 product makes NaN of infinity: it is no candidate for f64") {
#if NK_TARGET_HASWELL
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::array<double, 8> row{kInf, 1, 1, 1, 1, 1, 1, 1};
  const std::array<double, 8> ones{1, 1, 1, 1, 1, 1, 1, 1};
  const ConstView a = hwc(row.data(), 1, 8, 1);
  const ConstView b = hwc(ones.data(), 8, 1, 1);
  CHECK(*matmul(a, b).data<double>() == kInf);
  Options options;
  options.candidate = "numkong";
  CHECK_THROWS_WITH(matmul(a, b, options), Catch::Contains("dtype not supported"));
  if (candidates::numkong_has_haswell()) {
    std::vector<std::byte> packed(nk_dots_packed_size_f64_haswell(1, 8));
    nk_dots_pack_f64_haswell(ones.data(), 1, 8, sizeof ones, packed.data());
    double raw = 0;
    nk_dots_packed_f64_haswell(row.data(), packed.data(), &raw, 1, 1, 8, sizeof row, sizeof raw);
    CHECK(std::isnan(raw));
  }
#endif
}
