// The contract of lut: out = table[in], bits and all.
//
// Every table lies against a page that may not be touched, so that a read beyond its 256 entries
// ends the proof at once.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "candidates/contracts/guarded_bytes.hpp"
#include "candidates/contracts/oracle.hpp"
#include "candidates/lut/params.hpp"

namespace switchyard::candidates::lut {
namespace {

using oracle::GuardedBytes;

enum Set : std::uint8_t {
  kPermutation,
  kIdentity,
  kStrided,   // entries apart, at odd addresses
  kBackwards, // negative strides
  kConstant,  // a stride of 0 along the entries
  kPageStart, // begins where a page begins; the others end where one ends
  kSpecial,   // NaN of several payloads, ±Inf, −0, subnormals; u8: extremes
};

constexpr ParamSet kSets[] = {
    {"permutation", true}, {"identity"},   {"strided"}, {"backwards"},
    {"constant"},          {"page_start"}, {"special"},
};

constexpr std::int64_t kEntries = 256;

// Byte strides along entries and channels.
struct Strides {
  std::int64_t entry = 0;
  std::int64_t channel = 0;
};

Strides strides_of(int set, std::int64_t channels, std::int64_t size) {
  switch (set) {
  case kStrided:
    return {2 * channels * (size + 1) + 1, size + 1};
  case kBackwards:
    return {-channels * size, -size};
  case kConstant:
    return {0, size};
  default:
    return {channels * size, size};
  }
}

float special_entry(std::int64_t i) {
  constexpr std::array<std::uint32_t, 9> kBits = {
      0x7FC12345, 0xFFC0BEEF, 0x7F800001, 0x7F800000, 0xFF800000,
      0x80000000, 0x00000001, 0x7F7FFFFF, 0x3F800000,
  };
  return std::bit_cast<float>(kBits[static_cast<std::size_t>(i) % kBits.size()]);
}

void write_channel(const ConstView &table, std::int64_t channel, int set, Random &random) {
  std::array<int, kEntries> order{};
  std::iota(order.begin(), order.end(), 0);
  if (set != kIdentity) {
    std::shuffle(order.begin(), order.end(), random);
  }
  for (std::int64_t x = 0; x < kEntries; ++x) {
    const int value = order[static_cast<std::size_t>(x)];
    auto *at = const_cast<std::byte *>(table.at(0, 0, x, channel));
    if (table.dtype == Dtype::u8) {
      *at = static_cast<std::byte>(set == kSpecial ? (value % 2) * 255 : value);
    } else {
      const float entry = set == kSpecial    ? special_entry(value + channel)
                          : set == kIdentity ? static_cast<float>(value)
                                             : (static_cast<float>(value) - 100.0F) * 0.37F;
      std::memcpy(at, &entry, sizeof entry);
    }
  }
}

struct OwnedTable {
  explicit OwnedTable(std::size_t size, bool at_end) : bytes(size, at_end) {}
  GuardedBytes bytes;
  LutParams params;
};

std::shared_ptr<const void> make_table(int set, std::int64_t channels, Dtype dtype,
                                       Random &random) {
  const std::int64_t size = size_of(dtype);
  const Strides strides = strides_of(set, channels, size);
  const std::int64_t along_entries = (kEntries - 1) * strides.entry;
  const std::int64_t along_channels = std::max<std::int64_t>(channels - 1, 0) * strides.channel;
  const std::int64_t below =
      std::min<std::int64_t>(along_entries, 0) + std::min<std::int64_t>(along_channels, 0);
  const std::int64_t span = std::max<std::int64_t>(along_entries, 0) +
                            std::max<std::int64_t>(along_channels, 0) - below + size;
  auto owner = std::make_shared<OwnedTable>(static_cast<std::size_t>(span), set != kPageStart);
  const std::int64_t any = 7; // axes of length 1 have no say
  owner->params.table = {owner->bytes.data() - below,
                         {1, 1, kEntries, channels},
                         {any, any, strides.entry, strides.channel},
                         dtype,
                         4};
  for (std::int64_t c = 0; c < channels; ++c) {
    write_channel(owner->params.table, c, set, random);
  }
  const LutParams *params = &owner->params;
  return {std::move(owner), params};
}

Dtype table_dtype(int dtype_case) {
  return dtype_case == 0 ? Dtype::u8 : Dtype::f32;
}

std::shared_ptr<const void> make_shared_table(int set, std::int64_t, int dtype_case,
                                              Random &random) {
  return make_table(set, 1, table_dtype(dtype_case), random);
}
std::shared_ptr<const void> make_channel_tables(int set, std::int64_t channels, int dtype_case,
                                                Random &random) {
  return make_table(set, channels, table_dtype(dtype_case), random);
}

void expect(const Call &call, int /*which*/, std::span<Expected> expected) {
  const ConstView &table = call.params_as<LutParams>().table;
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const auto pixel = static_cast<std::int64_t>(oracle::read(*call.in[0], x, h, w, c));
    const double entry = oracle::read(table, 0, 0, pixel, table.channels() == 1 ? 0 : c);
    expected[i++] = {entry, entry, entry};
  });
}

VariantContract mapping(std::string_view variant, decltype(VariantContract::make_params) make) {
  VariantContract contract;
  contract.variant = variant;
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = kSets;
  contract.make_params = make;
  contract.oracle = expect;
  return contract;
}

} // namespace

const OpContract &contract() {
  static const VariantContract kVariants[] = {
      mapping("lut/shared", make_shared_table),
      mapping("lut/per_channel", make_channel_tables),
  };
  static const OpContract kContract{"lut", kVariants};
  return kContract;
}

} // namespace switchyard::candidates::lut
