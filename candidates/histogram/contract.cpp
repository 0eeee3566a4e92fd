// The contract of histogram: how often each value from 0 to 255 occurs, exactly, in the channels
// together or in each; with a mask, in pixels whose mask is not 0. Counter of level v and channel c
// is element (0, 0, v, c) of the result.
#include <array>

#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::histogram {
namespace {

template <bool kPerChannel>
void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &image = *call.in[0];
  const std::size_t channels = kPerChannel ? static_cast<std::size_t>(image.channels()) : 1;
  std::fill(expected.begin(), expected.end(), Expected{});
  oracle::for_each_index(image.shape, [&](auto x, auto h, auto w, auto c) {
    if (call.in[1] != nullptr && oracle::read(*call.in[1], x, h, w, 0) == 0) {
      return;
    }
    const auto level = static_cast<std::size_t>(oracle::read(image, x, h, w, c));
    Expected &count = expected[level * channels + (kPerChannel ? static_cast<std::size_t>(c) : 0)];
    count.value = count.low = count.high = count.value + 1;
  });
}

// Special images: one level, two levels in long runs, a level per channel. Special masks: nothing,
// everything, values other than 1.
void fill(const View &input, int which, bool special, Random &random) {
  const std::uint64_t kind = random();
  const auto first = static_cast<std::uint8_t>(random());
  std::uint8_t level = first;
  oracle::for_each_index(input.shape, [&](auto x, auto h, auto w, auto c) {
    const std::uint64_t draw = random();
    std::uint8_t value = 0;
    if (which == 1) {
      value = static_cast<std::uint8_t>(draw % 3 == 0 ? 0 : draw >> 8);
      value = special && kind % 3 == 0 ? 0 : special && kind % 3 == 1 ? 128 : value;
    } else if (!special) {
      // Neighbours in natural images are alike.
      level = static_cast<std::uint8_t>(draw % 16 == 0 ? draw >> 8 : level + draw % 3 - 1);
      value = level;
    } else {
      level = kind % 3 == 1 && draw % 64 == 0 ? static_cast<std::uint8_t>(255 - level) : level;
      value = kind % 3 == 2 ? static_cast<std::uint8_t>(first + c) : level;
    }
    std::memcpy(input.at(x, h, w, c), &value, 1);
  });
}

constexpr ParamSet kSets[] = {{"default", true}};

std::shared_ptr<const void> make(int, std::int64_t, int, Random &) {
  return nullptr;
}

Extents mask_shape(int which, const Extents &problem, const void * /*params*/) {
  Extents shape = problem;
  shape[kC] = which == 1 ? 1 : shape[kC];
  return shape;
}
Extents one_table(int /*which*/, const Extents & /*in*/, const void * /*params*/) {
  return {1, 1, 256, 1};
}
Extents table_per_channel(int /*which*/, const Extents &in, const void * /*params*/) {
  return {1, 1, 256, in[kC]};
}

template <bool kPerChannel> VariantContract counting(std::string_view variant, bool masked) {
  VariantContract contract;
  contract.variant = variant;
  contract.inputs = masked ? 2 : 1;
  contract.param_sets = kSets;
  contract.make_params = make;
  contract.fill = fill;
  contract.input_shape = mask_shape;
  contract.output_shape = kPerChannel ? table_per_channel : one_table;
  contract.oracle = expect<kPerChannel>;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      counting<false>("histogram/together", false),
      counting<true>("histogram/per_channel", false),
      counting<false>("histogram/together_masked", true),
      counting<true>("histogram/per_channel_masked", true),
  };
  static const OpContract kContract{"histogram", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::histogram
