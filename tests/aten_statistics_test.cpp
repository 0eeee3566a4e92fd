// Why the ATen candidates of per-image statistics are not a call each: what the raw calls do.
#include <cstdint>
#include <vector>

// clang 14 wants this type complete before ATen.h uses it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>

// ATen and Catch both define CHECK; the tests mean Catch's.
#undef CHECK
#include <catch2/catch.hpp>

#include "switchyard/switchyard.hpp"

using namespace switchyard;

namespace {

TEST_CASE("at::bincount adds f32 weights in f32; the candidate adds them in f64") {
  const std::vector<std::int64_t> labels(20'000'000, 1);
  const std::vector<float> weights(labels.size(), 1.0F);
  const auto n = static_cast<std::int64_t>(labels.size());
  const at::Tensor raw =
      at::bincount(at::from_blob(const_cast<std::int64_t *>(labels.data()), {n}, at::kLong),
                   at::from_blob(const_cast<float *>(weights.data()), {n}, at::kFloat));
  CHECK(raw[1].item<double>() == 16777216); // 2^24: there it stops
  Options options;
  options.candidate = "aten";
  const Image sums =
      bincount_weights(array_1d(labels.data(), n), array_1d(weights.data(), n), {}, options);
  CHECK(sums.data<double>()[1] == 2e7);
}

} // namespace
