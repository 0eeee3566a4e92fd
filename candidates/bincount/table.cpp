// The candidates of bincount: how often each label occurs, or the sum of its weights.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::bincount {

Run run_counts_compare, run_counts_tables, run_counts_fused, run_counts_opencv, run_counts_aten,
    run_counts_loop;
Run run_weights_tables, run_weights_fused, run_weights_aten, run_weights_loop;
Domain accepts_counts_compare, accepts_counts_tables, accepts_counts_fused, accepts_counts_opencv,
    accepts_counts_aten;
Domain accepts_weights_tables, accepts_weights_fused, accepts_weights_aten;

namespace {

using enum Exactness;
using namespace config;

constexpr DtypeCase kLabels[] = {
    {"u8", {Dtype::u8}, {Dtype::u64}},
    {"u16", {Dtype::u16}, {Dtype::u64}, false},
    {"i32", {Dtype::i32}, {Dtype::u64}},
    {"i64", {Dtype::i64}, {Dtype::u64}},
};

// Counts are integers: whatever the order, they are exact.
constexpr Candidate kCounts[] = {
    {"fused_compare",
     2,
     "fused",
     accepts_counts_compare,
     {bitwise, bitwise, bitwise, bitwise},
     {1, 0},
     Split::none,
     run_counts_compare},
    {"fused_tables",
     2,
     "fused",
     accepts_counts_tables,
     {bitwise, bitwise, bitwise, bitwise},
     {1, 0},
     Split::none,
     run_counts_tables},
    {"fused",
     2,
     "fused",
     accepts_counts_fused,
     {bitwise, bitwise, bitwise, bitwise},
     {1, 0},
     Split::none,
     run_counts_fused},
    {"opencv",
     1,
     "opencv",
     built<kOpencv, accepts_counts_opencv>(),
     {bitwise, bitwise, unsupported, unsupported},
     {1, 0},
     Split::none,
     built<kOpencv, run_counts_opencv>()},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_counts_aten>(),
     {bitwise, unsupported, bitwise, bitwise},
     {3, 0},
     Split::none,
     built<kAten, run_counts_aten>()},
    {"loop",
     1,
     "loop",
     nullptr,
     {bitwise, bitwise, bitwise, bitwise},
     {1, 0},
     Split::none,
     run_counts_loop},
};

constexpr DtypeCase kWeighted[] = {
    {"u8_f32", {Dtype::u8, Dtype::f32}, {Dtype::f64}},
    {"u16_f32", {Dtype::u16, Dtype::f32}, {Dtype::f64}, false},
    {"i32_f32", {Dtype::i32, Dtype::f32}, {Dtype::f64}},
    {"i64_f32", {Dtype::i64, Dtype::f32}, {Dtype::f64}, false},
    {"u8_f64", {Dtype::u8, Dtype::f64}, {Dtype::f64}, false},
    {"u16_f64", {Dtype::u16, Dtype::f64}, {Dtype::f64}, false},
    {"i32_f64", {Dtype::i32, Dtype::f64}, {Dtype::f64}, false},
    {"i64_f64", {Dtype::i64, Dtype::f64}, {Dtype::f64}},
};

// Passes in bytes of the labels, over labels and weights.
constexpr TrafficByCase kBoth = {{5, 0}, {3, 0}, {2, 0}, {2, 0}, {9, 0}, {5, 0}, {3, 0}, {2, 0}};
constexpr TrafficByCase kAtenPasses = {{15, 8}, {1, 0}, {6, 2}, {5, 1},
                                       {11, 0}, {1, 0}, {5, 0}, {4, 0}};

// In several tables, weights are not added in the order of the labels.
constexpr Candidate kWeights[] = {
    {"fused_tables",
     2,
     "fused",
     accepts_weights_tables,
     {faithful, faithful, faithful, faithful, faithful, faithful, faithful, faithful},
     kBoth,
     Split::none,
     run_weights_tables},
    {"fused",
     2,
     "fused",
     accepts_weights_fused,
     {bitwise, bitwise, bitwise, bitwise, bitwise, bitwise, bitwise, bitwise},
     kBoth,
     Split::none,
     run_weights_fused},
    {"aten",
     1,
     "aten",
     built<kAten, accepts_weights_aten>(),
     {bitwise, unsupported, bitwise, bitwise, bitwise, unsupported, bitwise, bitwise},
     kAtenPasses,
     Split::none,
     built<kAten, run_weights_aten>()},
    {"loop",
     1,
     "loop",
     nullptr,
     {bitwise, bitwise, bitwise, bitwise, bitwise, bitwise, bitwise, bitwise},
     kBoth,
     Split::none,
     run_weights_loop},
};

// How many bins there are decides which way to count is fastest, or possible.
constexpr std::string_view kClasses[] = {"2", "16", "256", "4096", "65536"};
int class_of(const Call &call) {
  constexpr std::int64_t kMost[] = {5, 64, 1024, 16384}; // halfway between classes, as ratios
  const std::int64_t bins = call.out[0]->shape[kW];
  return static_cast<int>(std::lower_bound(std::begin(kMost), std::end(kMost), bins) - kMost);
}
constexpr Kinds kKinds{nullptr, true, kClasses, class_of};

constexpr Variant kVariants[] = {
    {"bincount/counts", kLabels, kCounts, kKinds},
    {"bincount/weights", kWeighted, kWeights, kKinds},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"bincount", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::bincount
