// Lookup: from a call to the candidate that serves it.
//
// A Router is built once from the registry and the tables; its index is dense, so that a lookup is
// a few loads, without locks, heap or string comparison. Everything a table says is checked when
// the index is built, and the chosen candidate's domain is asked for every lookup.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/route_table.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// What a lookup depends on, besides variant and dtype case.
struct RouteKey {
  std::int64_t channels = 1;
  std::int64_t elements = 0; // of the problem
  LayoutClass layout = LayoutClass::contiguous;
  OutputMode output = OutputMode::into;
  int threads = 1; // the caller's budget
  Exactness exactness = Exactness::faithful;
  int op_class = 0; // index into Kinds::classes
};

namespace detail {

// Strides first: those of contiguous views, which most are, need no look at the extents.
inline bool is_contiguous(const ConstView &view) {
  const std::int64_t c = size_of(view.dtype);
  const std::int64_t w = c * view.shape[kC];
  const std::int64_t h = w * view.shape[kW];
  const auto fits = [&](Axis axis, std::int64_t stride) {
    return view.strides[axis] == stride || view.shape[axis] <= 1;
  };
  return fits(kC, c) && fits(kW, w) && fits(kH, h) && fits(kX, h * view.shape[kH]);
}

[[nodiscard]] LayoutClass layout_of_strided(const ConstView &view);

} // namespace detail

// The layout class of one view.
[[nodiscard]] inline LayoutClass layout_of(const ConstView &view) {
  return detail::is_contiguous(view) ? LayoutClass::contiguous : detail::layout_of_strided(view);
}

// That of a call's least favourable view.
[[nodiscard]] inline LayoutClass layout_of(const Call &call) {
  LayoutClass worst = layout_of(*call.in[0]);
  for (std::size_t i = 1; i < call.in.size() && call.in[i] != nullptr; ++i) {
    worst = std::max(worst, layout_of(*call.in[i]));
  }
  for (std::size_t i = 0; i < call.out.size() && call.out[i] != nullptr; ++i) {
    worst = std::max(worst, layout_of(*call.out[i]));
  }
  return worst;
}

// The class among a variant's own that a call belongs to.
[[nodiscard]] inline int class_of(const Kinds &kinds, const Call &call) {
  return kinds.class_of == nullptr ? 0 : kinds.class_of(call);
}

// What the lookup of a call depends on. `output` is into or fresh; the flag kInPlace overrides it.
[[nodiscard]] RouteKey key_of(const Kinds &kinds, const Call &call, OutputMode output, int threads,
                              Exactness exactness);

struct Decision {
  const Candidate *candidate = nullptr;
  int threads = 1;
  Grade grade = Grade::default_order;
};

// The table that serves a machine: its own, else the portable one, else the first; nullptr when
// there is none. A profile's name serves as the machine's.
[[nodiscard]] const RouteTable *serving_table(std::span<const RouteTable> tables,
                                              std::string_view profile);

class Router {
public:
  // `profile` names the machine; serving_table() says which of `tables` it gets. A table of
  // another machine, or the portable one, has the grade other_machine. `loaded` comes before them:
  // they keep the variants and dtypes for which it has no route. Tables may hold anything; lines
  // that name unknown variants, dtypes or candidates, or that are too many, are passed over and
  // listed in warnings(). Nothing refers to a table afterwards.
  Router(std::span<const OpTable *const> ops, std::span<const RouteTable> tables,
         std::string_view profile, const RouteTable *loaded = nullptr);

  // Index of a variant for decide(); throws std::out_of_range for a name that is not registered.
  [[nodiscard]] int variant_index(std::string_view name) const;

  struct Alternative {
    const Candidate *candidate;
    int threads;
  };

  // The ranking that serves a problem, from the first alternative in it that is exact enough and
  // within the thread budget. It depends on the key alone, so that it can be kept.
  struct Found {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    Grade grade = Grade::default_order;
  };
  [[nodiscard]] Found find(int variant, int dtype_case, const RouteKey &key) const;

  // By its number in what find() has found.
  [[nodiscard]] const Alternative &alternative(std::uint32_t number) const {
    return alternatives_[number];
  }

  // The first alternative of the ranking that is built, exact enough, within the thread budget,
  // and accepts the call; `loop` in the end.
  [[nodiscard]] Decision choose(int variant, const Call &call, int threads, Exactness exactness,
                                const Found &found) const {
    if (found.count != 0) {
      const Alternative &first = alternatives_[found.first];
      Domain *const domain = first.candidate->domain;
      if (domain == nullptr || domain(call) == nullptr) {
        return {first.candidate, first.threads, found.grade};
      }
    }
    return choose_further(variant, call, threads, exactness, found);
  }
  [[nodiscard]] Decision decide(int variant, const Call &call, const RouteKey &key) const {
    return choose(variant, call, key.threads, key.exactness, find(variant, call.dtype_case, key));
  }

  // Whether any call of the key of `found` gets this candidate, if it accepts the call.
  [[nodiscard]] bool is_settled(const Found &found, const Candidate &candidate) const {
    return found.count != 0 && alternatives_[found.first].candidate == &candidate;
  }

  // The whole ranking for a problem, in order, without checking a call; for tools.
  [[nodiscard]] std::vector<Alternative> ranking(int variant, int dtype_case,
                                                 const RouteKey &key) const;

  // Where a problem's ranking comes from; for tools.
  struct Service {
    struct Part {
      std::int64_t from = 0;
      std::int64_t to = 0; // exclusive
      std::vector<Alternative> ranking;
    };
    // What the class that serves has been measured for.
    std::int64_t channels = 0;
    LayoutClass layout = LayoutClass::contiguous;
    OutputMode output = OutputMode::into;
    int budget = 1;
    std::string_view op_class; // empty where the variant has none
    std::int64_t measured_from = 0;
    std::int64_t measured_to = 0;
    std::vector<Part> parts; // of the class, by size; empty: the order of the op's table
    std::size_t part = 0;    // the one that serves
    int table = 0;           // 1: the first table that the router was made of, `loaded` if given
    Grade grade = Grade::default_order;
  };
  [[nodiscard]] Service service(int variant, int dtype_case, const RouteKey &key) const;

  [[nodiscard]] const Variant &variant(int index) const { return *variants_[index]; }
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }
  [[nodiscard]] std::string_view profile() const { return profile_; }
  // Whether any variant has a route of a table, rather than the order of its op's table.
  [[nodiscard]] bool has_routes() const;

private:
  struct Region {
    std::int64_t to = 0; // exclusive
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::int64_t measured_from = 0;
    std::int64_t measured_to = 0;
  };
  // The regions of the class that serves one combination of keys.
  struct Slot {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool exact = false;
  };
  // Routes of one class, as the table gives them.
  struct Class {
    std::int64_t channels;
    LayoutClass layout;
    OutputMode output;
    int budget;
    int op_class;
    std::uint32_t first;
    std::uint32_t count;
  };
  static constexpr int kSmallChannels = 64;
  // What a table can make the index hold, per variant and dtype. Evidence stays far below; a
  // hostile table must not cost gigabytes or minutes.
  static constexpr std::size_t kMaxClasses = 512;
  static constexpr std::size_t kMaxChannelCounts = 64;
  static constexpr std::size_t kMaxBudgets = 16;
  static constexpr std::size_t kMaxRanked = 256;
  static constexpr std::size_t kMaxWarnings = 64;
  // One variant and dtype case: slots by [op_class][channels][budget][layout][output].
  struct Group {
    std::vector<std::int64_t> channels;
    std::vector<int> budgets;
    std::array<std::uint8_t, kSmallChannels + 1> channel_slot{};
    std::vector<Slot> slots;
    std::vector<Class> classes;
    int table = 0;                   // which table it has its classes from, by the order of adding
    bool own_machine = false;        // that table is this machine's
    std::uint32_t default_first = 0; // ranking in table order
    std::uint32_t default_count = 0;
  };

  void add_ops(std::span<const OpTable *const> ops);
  void add_table(const RouteTable &table, int ordinal);
  void add_class(const RouteTable &table, std::span<const Route> routes, int ordinal);
  void add_region(const RouteTable &table, const Route &route, const Variant &variant);
  void warn(std::string text);
  [[nodiscard]] static bool fits(const Group &group, std::int64_t channels, int budget);
  static void build_slots(Group &group, int op_classes);
  [[nodiscard]] static double distance(const Class &measured, const Class &asked);
  [[nodiscard]] static Slot nearest(const Group &group, const Class &asked);
  [[nodiscard]] static int nearest_channels(const Group &group, std::int64_t channels);
  [[nodiscard]] Found serving(const Group &group, const RouteKey &key) const;
  // The first alternative has refused, or there is none.
  [[nodiscard]] Decision choose_further(int variant, const Call &call, int threads,
                                        Exactness exactness, const Found &found) const;
  [[nodiscard]] Group *group_of(std::string_view variant, std::string_view dtype);

  std::vector<const Variant *> variants_;
  std::vector<std::vector<Group>> groups_; // by variant and dtype case
  std::vector<Region> regions_;
  std::vector<Alternative> alternatives_;
  std::vector<std::string> warnings_;
  std::string profile_;
};

// The process's router: the registered ops and the compiled tables.
[[nodiscard]] const Router &default_router();

} // namespace switchyard
