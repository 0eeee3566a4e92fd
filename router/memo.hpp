// The last lookups of a thread, so that a repeated problem is looked up by one comparison.
//
// A lookup depends on the geometry of the views and on a few facts; what it found is kept with
// them. Candidates still see every call: their domains look at parameters and addresses. Of
// geometry that the public edge has validated once, it validates the addresses alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "router/router.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// The parts of a RouteInfo, whose names are only wanted where somebody asks.
struct LastRoute {
  const Variant *variant = nullptr;
  const Candidate *candidate = nullptr;
  Grade grade = Grade::default_order;
  int threads = 0;
};

class LookupMemo {
  // Extents and strides of a view, compared by pairs.
  using Pair = std::int64_t __attribute__((vector_size(16)));
  using Geometry = std::array<Pair, 4>;

public:
  // Whose lookup it is: the router's, named by the address of what serves, of a variant and class.
  struct Asker {
    const void *serving; // never freed
    int variant;
    int op_class;
  };

  // What validation has seen of a view that is not empty.
  struct Seen {
    Dtype dtype = Dtype::u8;
    bool like_out = false;  // the same geometry and dtype as the output
    std::int64_t first = 0; // its bytes, from its address
    std::int64_t last = 0;  // exclusive
  };

  // Of a size by which a number is multiplied fast.
  class alignas(512) Entry {
  public:
    Router::Found found;
    // The first alternative of what was found, as a call's route. threads 0: there is none.
    LastRoute route;

    // Whether this is of such a call, which has one output and one input or two.
    template <int kInputs>
    [[nodiscard]] bool is_of(const Asker &asker, const Call &call, OutputMode output,
                             const Options &options) const {
      return serving_ == asker.serving && facts_ == pack(asker, call, output) &&
             wish_ == wish_of(options) &&
             is_none(difference(in_, *call.in[0]) | difference(out_, *call.out[0])) &&
             (kInputs == 1 || is_none(difference(second_, *call.in[1])));
    }

    // Whether a validated call would be one that validation has seen before, but for parameters.
    template <int kInputs> [[nodiscard]] bool was_checked(const Call &call) const {
      const View &out = *call.out[0];
      return checked_ && out.dtype == out_seen_.dtype && out.data != nullptr &&
             is_apart(in_seen_, *call.in[0], call) &&
             (kInputs == 1 || is_apart(second_seen_, *call.in[1], call));
    }
    // Of a call that this entry is of and that validation has passed.
    void note_checked(const Call &call) {
      const View &out = *call.out[0];
      const ConstView &in = *call.in[0];
      out_seen_ = seen(out, out);
      in_seen_ = seen(in, out);
      second_seen_ = call.in[1] != nullptr ? seen(*call.in[1], out) : in_seen_;
      checked_ = !out.empty() && !in.empty() && (call.in[1] == nullptr || !call.in[1]->empty());
    }

  private:
    friend class LookupMemo;

    [[nodiscard]] bool is_apart(const Seen &seen, const ConstView &in, const Call &call) const {
      const auto at = reinterpret_cast<std::intptr_t>(in.data);
      const auto out = reinterpret_cast<std::intptr_t>(call.out[0]->data);
      const bool apart =
          at + seen.last <= out + out_seen_.first || out + out_seen_.last <= at + seen.first;
      return in.dtype == seen.dtype && at != 0 &&
             (apart || ((call.flags & kInPlace) != 0 && at == out && seen.like_out));
    }

    const void *serving_ = nullptr;
    std::uint64_t facts_ = 0;
    std::uint64_t wish_ = 0;
    Geometry in_{};
    Geometry out_{};
    Geometry second_{};
    bool checked_ = false;
    Seen in_seen_;
    Seen out_seen_;
    Seen second_seen_;
  };

  // Calls of more than two inputs or one output are never known.
  static bool can_know(const Call &call) { return call.in[2] == nullptr && call.out[1] == nullptr; }

  // Where such a call is kept, if it is.
  [[nodiscard]] Entry &at(int variant, const Call &call) {
    // Images of a pipeline differ in height if in anything.
    return entries_[(static_cast<std::size_t>(variant) +
                     static_cast<std::size_t>(call.in[0]->shape[kH])) %
                    kEntries];
  }

  // What a lookup found for such a call earlier in this thread; nullptr: nothing is known.
  [[nodiscard]] Entry *find(const Asker &asker, const Call &call, OutputMode output,
                            const Options &options) {
    Entry &entry = at(asker.variant, call);
    const bool known =
        can_know(call) && (call.in[1] == nullptr ? entry.is_of<1>(asker, call, output, options)
                                                 : entry.is_of<2>(asker, call, output, options));
    return known ? &entry : nullptr;
  }

  // `call` is one that can be known.
  static void keep(Entry &entry, const Asker &asker, const Call &call, OutputMode output,
                   const Options &options, const Router::Found &found, const LastRoute &route) {
    entry.found = found;
    entry.route = route;
    entry.serving_ = asker.serving;
    entry.facts_ = pack(asker, call, output);
    entry.wish_ = wish_of(options);
    entry.in_ = geometry(*call.in[0]);
    entry.out_ = geometry(*call.out[0]);
    entry.second_ = call.in[1] != nullptr ? geometry(*call.in[1]) : Geometry{};
    entry.checked_ = false;
  }

private:
  static constexpr std::size_t kEntries = 16;

  // The number of arrays follows from the variant.
  static std::uint64_t pack(const Asker &asker, const Call &call, OutputMode output) {
    static_assert(kInPlace == 1 && kMaxClassesOfOp <= 128);
    return static_cast<std::uint64_t>(asker.variant) << 32 |
           static_cast<std::uint64_t>(output) << 16 | std::uint64_t{call.dtype_case} << 8 |
           static_cast<std::uint64_t>(asker.op_class) << 1 | (call.flags & kInPlace);
  }
  // Threads, exactness and rounding.
  static std::uint64_t wish_of(const Options &options) {
    if constexpr (std::endian::native == std::endian::little) {
      static_assert(offsetof(Options, threads) == 0 && offsetof(Options, exactness) == 4 &&
                    offsetof(Options, rounding) == 5);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &options, sizeof bits);
      return bits << 16; // the last two bytes are padding
    }
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(options.threads)) << 32 |
           static_cast<std::uint64_t>(options.exactness) << 8 |
           static_cast<std::uint64_t>(options.rounding);
  }
  static Seen seen(const ConstView &view, const ConstView &out) {
    Seen seen{view.dtype, view.dtype == out.dtype && is_none(difference(geometry(view), out)), 0,
              size_of(view.dtype)};
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? seen.first : seen.last) += reach;
    }
    return seen;
  }
  static Geometry geometry(const ConstView &view) {
    return {pair_at(view, 0), pair_at(view, 1), pair_at(view, 2), pair_at(view, 3)};
  }
  // Views are not aligned to pairs, and no attribute of a type tells every compiler so.
  static Pair pair_at(const ConstView &view, std::size_t index) {
    static_assert(offsetof(ConstView, strides) - offsetof(ConstView, shape) == sizeof(Extents));
    Pair pair;
    std::memcpy(&pair, reinterpret_cast<const char *>(view.shape.data()) + index * sizeof pair,
                sizeof pair);
    return pair;
  }
  // 0 in both halves where the geometry is the known one.
  static Pair difference(const Geometry &known, const ConstView &view) {
    Pair bits{};
    for (std::size_t i = 0; i < known.size(); ++i) {
      bits |= known[i] ^ pair_at(view, i);
    }
    return bits;
  }
  static bool is_none(Pair bits) { return (bits[0] | bits[1]) == 0; }

  std::array<Entry, kEntries> entries_{};
};

} // namespace switchyard
