// The candidates of histogram: how often each of 256 levels occurs.
#include "candidates/common/built.hpp"
#include "candidates/config.hpp"
#include "candidates/histogram/adapters.hpp"
#include "candidates/registry.hpp"

namespace switchyard::candidates::histogram {
namespace {

using enum Exactness;
using namespace config;

template <RunCount *kRun, bool kPerChannel> void run(const Call &call) {
  kRun(call, kPerChannel);
}
template <CountDomain *kDomain, bool kPerChannel> const char *accepts(const Call &call) {
  return kDomain(call, kPerChannel);
}

constexpr DtypeCase kImage[] = {{"u8", {Dtype::u8}, {Dtype::u64}}};
constexpr DtypeCase kMasked[] = {{"u8", {Dtype::u8, Dtype::u8}, {Dtype::u64}}};

// Traffic of the candidates that take several passes, for three channels.
struct Passes {
  TrafficByCase fused, opencv, aten, loop;
};

template <bool kPerChannel> consteval std::array<Candidate, 4> rows(const Passes &passes) {
  // id, version, backend, domain, exactness, traffic, split, run
  return {{
      {"fused",
       1,
       "fused",
       nullptr,
       {bitwise},
       passes.fused,
       Split::none,
       run<run_fused, kPerChannel>},
      {"opencv",
       1,
       "opencv",
       built<kOpencv, accepts<accepts_opencv, kPerChannel>>(),
       {bitwise},
       passes.opencv,
       Split::none,
       built<kOpencv, run<run_opencv, kPerChannel>>()},
      {"aten",
       1,
       "aten",
       built<kAten, accepts<accepts_aten, kPerChannel>>(),
       {bitwise},
       passes.aten,
       Split::none,
       built<kAten, run<run_aten, kPerChannel>>()},
      {"loop", 1, "loop", nullptr, {bitwise}, passes.loop, Split::none, run<run_loop, kPerChannel>},
  }};
}

constexpr auto kTogether =
    rows<false>({.fused = {1, 0}, .opencv = {1, 0}, .aten = {3, 0}, .loop = {1, 0}});
constexpr auto kPerChannel =
    rows<true>({.fused = {1, 0}, .opencv = {3, 0}, .aten = {4, 1}, .loop = {1, 0}});
constexpr auto kTogetherMasked =
    rows<false>({.fused = {1, 0}, .opencv = {4, 0}, .aten = {28, 25}, .loop = {1, 0}});
constexpr auto kPerChannelMasked =
    rows<true>({.fused = {1, 0}, .opencv = {4, 0}, .aten = {32, 25}, .loop = {1, 0}});

constexpr Variant kVariants[] = {
    {"histogram/together", kImage, kTogether},
    {"histogram/per_channel", kImage, kPerChannel},
    {"histogram/together_masked", kMasked, kTogetherMasked},
    {"histogram/per_channel_masked", kMasked, kPerChannelMasked},
};

} // namespace

const OpTable &table() {
  static constexpr OpTable kTable{"histogram", kVariants};
  return kTable;
}

} // namespace switchyard::candidates::histogram
