// Tables of lut as candidates read them: dense, aligned, in the order entry, channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "candidates/common/domain.hpp"
#include "candidates/lut/params.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::lut {

inline constexpr std::int64_t kEntries = 256;

// One channel's entries at to[0], to[step], to[2 step], …; reads those 256 and nothing else.
template <class T>
void copy_channel(const ConstView &table, std::int64_t channel, T *to, std::int64_t step = 1) {
  if (step == 1 && table.strides[kW] == sizeof(T)) {
    std::memcpy(to, table.at(0, 0, 0, channel), kEntries * sizeof(T));
    return;
  }
  for (std::int64_t x = 0; x < kEntries; ++x) {
    std::memcpy(to + x * step, table.at(0, 0, x, channel), sizeof(T));
  }
}

// Copies a table of any strides to entry x of channel c at to[x · C + c].
template <class T> void copy_table(const ConstView &table, T *to) {
  for (std::int64_t c = 0; c < table.channels(); ++c) {
    copy_channel(table, c, to + c, table.channels());
  }
}

inline bool is_dense(const ConstView &table) {
  return has_dense_rows(table) && is_aligned(table);
}

// Tables of more channels are used where they lie or not at all.
inline constexpr std::int64_t kMaxCopiedChannels = 64;

inline const char *refuses_table(const ConstView &table) {
  return table.channels() > kMaxCopiedChannels && !is_dense(table)
             ? "a strided table of more than 64 channels"
             : nullptr;
}

// The table where it lies, or a copy on the stack where that is not dense and aligned.
template <class T> class DenseTable {
public:
  explicit DenseTable(const ConstView &table) : data_(static_cast<const T *>(table.data)) {
    if (!is_dense(table)) {
      copy_table(table, copy_);
      data_ = copy_;
    }
  }
  DenseTable(const DenseTable &) = delete;
  DenseTable &operator=(const DenseTable &) = delete;

  [[nodiscard]] const T *data() const { return data_; }

private:
  const T *data_;
  alignas(64) T copy_[kEntries * kMaxCopiedChannels];
};

} // namespace switchyard::candidates::lut
