// lut by plain table reads, unrolled: exact for any entry, and independent of the SIMD target.
#include <algorithm>

#include "candidates/common/runs.hpp"
#include "candidates/lut/tables.hpp"

namespace switchyard::candidates::lut {
namespace {

constexpr std::int64_t kUnroll = 8;

// All inputs of a step are read before its results are written, which an in-place call may do to
// the same bytes.
template <class T>
void look_up(const std::uint8_t *in, T *out, std::int64_t n, const T *table, std::int64_t step) {
  std::int64_t k = 0;
  for (; k + kUnroll <= n; k += kUnroll) {
    T found[kUnroll];
    for (std::int64_t u = 0; u < kUnroll; ++u) {
      found[u] = table[in[k + u] * step];
    }
    for (std::int64_t u = 0; u < kUnroll; ++u) {
      out[k + u] = found[u];
    }
  }
  for (; k < n; ++k) {
    out[k] = table[in[k] * step];
  }
}

// Pixels of C interleaved channels, C known to the compiler, from channel 0 on.
template <std::int64_t C, class T>
void look_up_pixels(const std::uint8_t *in, T *out, std::int64_t n, const T *table) {
  std::int64_t k = 0;
  for (; k + C <= n; k += C) {
    T found[C];
    for (std::int64_t c = 0; c < C; ++c) {
      found[c] = table[in[k + c] * C + c];
    }
    for (std::int64_t c = 0; c < C; ++c) {
      out[k + c] = found[c];
    }
  }
  for (std::int64_t c = 0; k < n; ++k, ++c) {
    out[k] = table[in[k] * C + c];
  }
}

constexpr std::int64_t kMostKnownChannels = 8;

// As many channels as some pixel loop above is made for, from 2 on.
template <class T>
void look_up_known(std::int64_t channels, const std::uint8_t *in, T *out, std::int64_t n,
                   const T *table) {
  switch (channels) {
  case 2:
    return look_up_pixels<2>(in, out, n, table);
  case 3:
    return look_up_pixels<3>(in, out, n, table);
  case 4:
    return look_up_pixels<4>(in, out, n, table);
  case 5:
    return look_up_pixels<5>(in, out, n, table);
  case 6:
    return look_up_pixels<6>(in, out, n, table);
  case 7:
    return look_up_pixels<7>(in, out, n, table);
  default:
    return look_up_pixels<kMostKnownChannels>(in, out, n, table);
  }
}

// Any number of channels, from any channel on: each stretch of channels in order is one loop.
template <class T>
void look_up_stretches(const std::uint8_t *in, T *out, std::int64_t n, const T *table,
                       RunChannels channels) {
  const std::int64_t period = channels.period;
  std::int64_t c = channels.first;
  for (std::int64_t k = 0; k < n; c = 0) {
    const std::int64_t stretch = std::min(period - c, n - k);
    const T *from_channel = table + c;
    for (std::int64_t i = 0; i < stretch; ++i) {
      out[k + i] = from_channel[in[k + i] * period + i];
    }
    k += stretch;
  }
}

template <class T> void run(const Call &call) {
  const ConstView &view = call.params_as<LutParams>().table;
  const DenseTable<T> table(view);
  const std::int64_t table_channels = view.channels();
  Runs<T, std::uint8_t>({call.in[0], call.out[0]})(
      [&](const std::uint8_t *in, T *out, std::int64_t n, RunChannels channels) {
        if (table_channels == 1 || channels.period == 1) {
          look_up(in, out, n, table.data() + (table_channels == 1 ? 0 : channels.first),
                  table_channels);
        } else if (channels.first == 0 && channels.period <= kMostKnownChannels) {
          look_up_known(channels.period, in, out, n, table.data());
        } else {
          look_up_stretches(in, out, n, table.data(), channels);
        }
      });
}

} // namespace

const char *accepts_lut(const Call &call) {
  return refuses_table(call.params_as<LutParams>().table);
}

void run_lut(const Call &call) {
  call.out[0]->dtype == Dtype::u8 ? run<std::uint8_t>(call) : run<float>(call);
}

} // namespace switchyard::candidates::lut
