#include "router/router.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace switchyard {
namespace {

std::int64_t magnitude(std::int64_t value) {
  return value < 0 ? -value : value;
}

// At least one, that of calls without kinds of their own.
int op_classes(const Kinds &kinds) {
  return static_cast<int>(std::clamp<std::size_t>(kinds.classes.size(), 1, kMaxClassesOfOp));
}

// The index of a class that a route names; -1 where the variant has none of that name.
int class_named(const Kinds &kinds, std::string_view name) {
  if (kinds.classes.empty()) {
    return name.empty() ? 0 : -1;
  }
  const auto found = std::find(kinds.classes.begin(), kinds.classes.end(), name);
  return found == kinds.classes.end() ? -1 : static_cast<int>(found - kinds.classes.begin());
}

// Empty where the variant has no classes.
std::string_view name_of_class(const Kinds &kinds, int op_class) {
  return kinds.classes.empty() ? std::string_view()
                               : kinds.classes[static_cast<std::size_t>(op_class)];
}

// True where equal extents are skipped: a stride counts only on axes longer than 1.
bool stride_is(const ConstView &view, Axis axis, std::int64_t stride) {
  return view.shape[axis] <= 1 || view.strides[axis] == stride;
}

} // namespace

LayoutClass detail::layout_of_strided(const ConstView &view) {
  const std::int64_t size = size_of(view.dtype);
  const std::int64_t pixel = size * view.shape[kC];
  const bool interleaved = stride_is(view, kC, size);
  const bool backwards = (view.shape[kH] > 1 && view.strides[kH] < 0) ||
                         (view.shape[kX] > 1 && view.strides[kX] < 0) ||
                         (view.shape[kW] > 1 && view.strides[kW] < 0);
  if (interleaved && (view.shape[kW] <= 1 || magnitude(view.strides[kW]) == pixel)) {
    return backwards ? LayoutClass::reversed : LayoutClass::rows;
  }
  if (interleaved && view.strides[kW] > pixel && !backwards) {
    return LayoutClass::plane;
  }
  if (stride_is(view, kW, size) && view.strides[kC] >= size * view.shape[kW] && !backwards) {
    return LayoutClass::planar;
  }
  return LayoutClass::other;
}

namespace {

// Saturates: arrays that repeat an element may have any number of them.
std::int64_t product(const Extents &extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) {
    if (__builtin_mul_overflow(all, extent, &all)) {
      return kUnbounded;
    }
  }
  return all;
}

} // namespace

RouteKey key_of(const Kinds &kinds, const Call &call, OutputMode output, int threads,
                Exactness exactness) {
  const Extents problem = kinds.problem == nullptr ? call.in[0]->shape : kinds.problem(call);
  return {.channels = kinds.by_channels ? problem[kC] : 1,
          .elements = product(problem),
          .layout = layout_of(call),
          .output = (call.flags & kInPlace) != 0 ? OutputMode::in_place : output,
          .threads = std::max(threads, 1),
          .exactness = exactness,
          .op_class = class_of(kinds, call)};
}

const RouteTable *serving_table(std::span<const RouteTable> tables, std::string_view profile) {
  for (const std::string_view name : {profile, kPortableProfile}) {
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const RouteTable &t) { return t.profile == name; });
    if (found != tables.end()) {
      return &*found;
    }
  }
  return tables.empty() ? nullptr : &tables.front();
}

Router::Router(std::span<const OpTable *const> ops, std::span<const RouteTable> tables,
               std::string_view profile, const RouteTable *loaded)
    : profile_(profile) {
  add_ops(ops);
  int ordinal = 0;
  for (const RouteTable *table : {loaded, serving_table(tables, profile)}) {
    if (table != nullptr) {
      add_table(*table, ++ordinal);
    }
  }
  for (std::size_t v = 0; v < groups_.size(); ++v) {
    for (Group &group : groups_[v]) {
      build_slots(group, op_classes(variants_[v]->kinds));
    }
  }
}

void Router::add_ops(std::span<const OpTable *const> ops) {
  for (const OpTable *op : ops) {
    for (const Variant &variant : op->variants) {
      variants_.push_back(&variant);
      auto &groups = groups_.emplace_back(variant.dtypes.size());
      for (std::size_t dtype = 0; dtype < variant.dtypes.size(); ++dtype) {
        groups[dtype].default_first = static_cast<std::uint32_t>(alternatives_.size());
        for (const Candidate &candidate : variant.candidates) {
          if (candidate.built() && candidate.exactness[dtype] != Exactness::unsupported) {
            alternatives_.push_back({&candidate, 1});
            ++groups[dtype].default_count;
          }
        }
      }
    }
  }
}

bool Router::has_routes() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const auto &groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [](const Group &group) { return !group.classes.empty(); });
  });
}

void Router::warn(std::string text) {
  if (warnings_.size() < kMaxWarnings &&
      std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) {
    warnings_.push_back(std::move(text));
  }
}

Router::Group *Router::group_of(std::string_view variant, std::string_view dtype) {
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    if (variants_[v]->name != variant) {
      continue;
    }
    for (std::size_t d = 0; d < variants_[v]->dtypes.size(); ++d) {
      if (variants_[v]->dtypes[d].name == dtype) {
        return &groups_[v][d];
      }
    }
  }
  return nullptr;
}

int Router::variant_index(std::string_view name) const {
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    if (variants_[v]->name == name) {
      return static_cast<int>(v);
    }
  }
  throw std::out_of_range(fmt::format("variant {} is not registered", name));
}

// Consecutive routes of equal keys are the regions of one class.
void Router::add_table(const RouteTable &table, int ordinal) {
  const auto same_class = [](const Route &a, const Route &b) {
    return a.variant == b.variant && a.dtype == b.dtype && a.channels == b.channels &&
           a.layout == b.layout && a.output == b.output && a.thread_budget == b.thread_budget &&
           a.op_class == b.op_class;
  };
  for (std::size_t i = 0; i < table.routes.size();) {
    std::size_t end = i + 1;
    while (end < table.routes.size() && same_class(table.routes[i], table.routes[end])) {
      ++end;
    }
    add_class(table, table.routes.subspan(i, end - i), ordinal);
    i = end;
  }
}

void Router::add_class(const RouteTable &table, std::span<const Route> routes, int ordinal) {
  const Route &lead = routes.front();
  Group *group = group_of(lead.variant, lead.dtype);
  if (group == nullptr) {
    warn(fmt::format("{}: no variant {} with dtype {}", table.profile, lead.variant, lead.dtype));
    return;
  }
  if (group->table != 0 && group->table != ordinal) {
    return; // a table that comes before this one serves it
  }
  const Variant &variant = *variants_[static_cast<std::size_t>(variant_index(lead.variant))];
  const int op_class = class_named(variant.kinds, lead.op_class);
  if (op_class < 0) {
    warn(fmt::format("{}: {} has no class \"{}\"", table.profile, variant.name, lead.op_class));
    return;
  }
  Class entry{std::max<std::int64_t>(lead.channels, 1),
              lead.layout,
              lead.output,
              std::max(lead.thread_budget, 1),
              op_class,
              static_cast<std::uint32_t>(regions_.size()),
              0};
  if (!fits(*group, entry.channels, entry.budget)) {
    warn(fmt::format("{}: {} {} has more classes than can be served", table.profile, lead.variant,
                     lead.dtype));
    return;
  }
  for (const Route &route : routes) {
    add_region(table, route, variant);
  }
  entry.count = static_cast<std::uint32_t>(regions_.size()) - entry.first;
  if (entry.count != 0) {
    group->classes.push_back(entry);
    group->table = ordinal;
    group->own_machine = table.profile == profile_ && table.profile != kPortableProfile;
  }
}

// Whether the group has room for a class of these keys.
bool Router::fits(const Group &group, std::int64_t channels, int budget) {
  std::vector<std::int64_t> channel_counts{channels};
  std::vector<std::int64_t> budgets{budget};
  const auto note = [](std::vector<std::int64_t> &values, std::int64_t value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
    }
  };
  for (const Class &entry : group.classes) {
    note(channel_counts, entry.channels);
    note(budgets, entry.budget);
  }
  return group.classes.size() < kMaxClasses && channel_counts.size() <= kMaxChannelCounts &&
         budgets.size() <= kMaxBudgets;
}

// Leaves out a region that names no candidate of this build: the next one, or else the last,
// serves its sizes.
void Router::add_region(const RouteTable &table, const Route &route, const Variant &variant) {
  Region region{route.to, static_cast<std::uint32_t>(alternatives_.size()), 0, route.measured_from,
                route.measured_to};
  const auto all = table.alternatives;
  const std::size_t ranked = std::min<std::size_t>(route.ranked, kMaxRanked);
  const std::size_t last = std::min<std::size_t>(all.size(), std::size_t{route.ranking} + ranked);
  for (std::size_t a = route.ranking; a < last; ++a) {
    const auto found = std::find_if(variant.candidates.begin(), variant.candidates.end(),
                                    [&](const Candidate &c) { return c.id == all[a].candidate; });
    if (found == variant.candidates.end()) {
      warn(
          fmt::format("{}: {} has no candidate {}", table.profile, variant.name, all[a].candidate));
    } else if (found->built()) {
      alternatives_.push_back({&*found, std::max(all[a].threads, 1)});
      ++region.count;
    }
  }
  if (region.count != 0) {
    regions_.push_back(region);
  }
}

namespace {

// Libraries treat up to four channels as one pixel, and more as something else: which candidates
// run at all, and how, changes between 4 and 5 more than between 5 and 9.
int channel_class(std::int64_t channels) {
  return channels <= 1 ? 0 : channels <= 4 ? 1 : 2;
}

double channel_distance(std::int64_t measured, std::int64_t channels) {
  constexpr double kOtherClass = 2;
  const double ratio = std::log2(static_cast<double>(measured) /
                                 static_cast<double>(std::max<std::int64_t>(channels, 1)));
  return std::fabs(ratio) + (channel_class(measured) == channel_class(channels) ? 0 : kOtherClass);
}

} // namespace

// Smaller is nearer. The weights say how much a difference tends to change who wins: an op's own
// class and a layout decide which candidates run at all, an output mode adds the same page faults
// to all of them.
double Router::distance(const Class &measured, const Class &asked) {
  double sum = 2 * channel_distance(measured.channels, asked.channels);
  if (measured.op_class != asked.op_class) {
    sum += 6 + 0.1 * std::abs(measured.op_class - asked.op_class);
  }
  if (measured.layout != asked.layout) {
    sum += 3 + 0.1 * std::abs(static_cast<int>(measured.layout) - static_cast<int>(asked.layout));
  }
  if (measured.output != asked.output) {
    sum += 1;
  }
  if (measured.budget != asked.budget) {
    // Routes of a larger budget may lean on threads that this caller does not grant.
    const double threads = std::log2(static_cast<double>(measured.budget) / asked.budget);
    // A route of fewer threads than the caller grants costs as much as the threads are worth: more
    // than an odd number of channels, less than an op's own class.
    sum += threads > 0 ? 50 + threads : -8 * threads;
  }
  return sum;
}

Router::Slot Router::nearest(const Group &group, const Class &asked) {
  const auto found = std::min_element(
      group.classes.begin(), group.classes.end(),
      [&](const Class &a, const Class &b) { return distance(a, asked) < distance(b, asked); });
  return {found->first, found->count, distance(*found, asked) == 0};
}

void Router::build_slots(Group &group, int op_classes) {
  if (group.classes.empty()) {
    return;
  }
  for (const Class &entry : group.classes) {
    group.channels.push_back(entry.channels);
    group.budgets.push_back(entry.budget);
  }
  const auto unique = [](auto &values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  unique(group.channels);
  unique(group.budgets);
  for (int c = 0; c <= kSmallChannels; ++c) {
    group.channel_slot[static_cast<std::size_t>(c)] =
        static_cast<std::uint8_t>(nearest_channels(group, c));
  }
  for (int op_class = 0; op_class < op_classes; ++op_class) {
    for (const std::int64_t channels : group.channels) {
      for (const int budget : group.budgets) {
        for (int at = 0; at < kLayoutClasses * kOutputModes; ++at) {
          const auto layout = static_cast<LayoutClass>(at / kOutputModes);
          const auto output = static_cast<OutputMode>(at % kOutputModes);
          group.slots.push_back(nearest(group, {channels, layout, output, budget, op_class, 0, 0}));
        }
      }
    }
  }
}

int Router::nearest_channels(const Group &group, std::int64_t channels) {
  int best = 0;
  double best_distance = HUGE_VAL;
  for (std::size_t i = 0; i < group.channels.size(); ++i) {
    const double apart = channel_distance(group.channels[i], channels);
    if (apart < best_distance) {
      best_distance = apart;
      best = static_cast<int>(i);
    }
  }
  return best;
}

Router::Found Router::serving(const Group &group, const RouteKey &key) const {
  if (group.slots.empty()) {
    return {group.default_first, group.default_count, Grade::default_order};
  }
  const int channel = key.channels <= kSmallChannels
                          ? group.channel_slot[static_cast<std::size_t>(key.channels)]
                          : nearest_channels(group, key.channels);
  std::size_t budget = group.budgets.size() - 1;
  while (budget > 0 && group.budgets[budget] > key.threads) {
    --budget;
  }
  std::size_t at = static_cast<std::size_t>(key.op_class);
  at = at * group.channels.size() + static_cast<std::size_t>(channel);
  at = at * group.budgets.size() + budget;
  at = at * kLayoutClasses + static_cast<std::size_t>(key.layout);
  at = at * kOutputModes + static_cast<std::size_t>(key.output);
  const Slot &slot = group.slots[at];
  const Region *region = &regions_[slot.first];
  const Region *last = region + slot.count - 1;
  while (region != last && key.elements >= region->to) {
    ++region;
  }
  const bool exact = slot.exact &&
                     group.channels[static_cast<std::size_t>(channel)] == key.channels &&
                     group.budgets[budget] == key.threads &&
                     key.elements >= region->measured_from && key.elements <= region->measured_to;
  const Grade own = exact ? Grade::exact : Grade::near;
  return {region->first, region->count, group.own_machine ? own : Grade::other_machine};
}

Router::Found Router::find(int variant, int dtype_case, const RouteKey &key) const {
  const Group &group =
      groups_[static_cast<std::size_t>(variant)][static_cast<std::size_t>(dtype_case)];
  Found found = serving(group, key);
  const auto serves = [&](const Alternative &alternative) {
    return alternative.threads <= key.threads &&
           alternative.candidate->exactness[static_cast<std::size_t>(dtype_case)] >=
               std::max(key.exactness, Exactness::faithful);
  };
  while (found.count != 0 && !serves(alternatives_[found.first])) {
    ++found.first;
    --found.count;
  }
  return found;
}

Decision Router::choose_further(int variant, const Call &call, int threads, Exactness exactness,
                                const Found &found) const {
  for (std::uint32_t i = found.first; i < found.first + found.count; ++i) {
    const Alternative &alternative = alternatives_[i];
    if (alternative.threads <= threads &&
        alternative.candidate->exactness[call.dtype_case] >= exactness &&
        alternative.candidate->refuses(call) == nullptr) {
      return {alternative.candidate, alternative.threads, found.grade};
    }
  }
  // A ranking that serves no one: the order of the op's table, which ends with `loop`.
  const Group &group = groups_[static_cast<std::size_t>(variant)][call.dtype_case];
  for (std::uint32_t i = group.default_first; i < group.default_first + group.default_count; ++i) {
    const Candidate *candidate = alternatives_[i].candidate;
    if (candidate->exactness[call.dtype_case] >= exactness && candidate->refuses(call) == nullptr) {
      return {candidate, 1, Grade::default_order};
    }
  }
  throw std::logic_error(fmt::format("{}: no candidate accepts the call",
                                     variants_[static_cast<std::size_t>(variant)]->name));
}

std::vector<Router::Alternative> Router::ranking(int variant, int dtype_case,
                                                 const RouteKey &key) const {
  const Found found = serving(
      groups_[static_cast<std::size_t>(variant)][static_cast<std::size_t>(dtype_case)], key);
  return {alternatives_.begin() + found.first, alternatives_.begin() + found.first + found.count};
}

Router::Service Router::service(int variant, int dtype_case, const RouteKey &key) const {
  const Group &group =
      groups_[static_cast<std::size_t>(variant)][static_cast<std::size_t>(dtype_case)];
  const Found found = serving(group, key);
  Service service;
  service.grade = found.grade;
  for (const Class &entry : group.classes) {
    // Every region has alternatives of its own, so that their place names it.
    const auto first = regions_.begin() + entry.first;
    const auto last = first + entry.count;
    const auto serves = std::find_if(
        first, last, [&](const Region &region) { return region.first == found.first; });
    if (serves == last) {
      continue;
    }
    service.channels = entry.channels;
    service.layout = entry.layout;
    service.output = entry.output;
    service.budget = entry.budget;
    service.op_class =
        name_of_class(variants_[static_cast<std::size_t>(variant)]->kinds, entry.op_class);
    service.measured_from = serves->measured_from;
    service.measured_to = serves->measured_to;
    service.part = static_cast<std::size_t>(serves - first);
    service.table = group.table;
    std::int64_t from = 0;
    for (auto region = first; region != last; ++region) {
      const auto ranked = alternatives_.begin() + region->first;
      service.parts.push_back({from, region->to, {ranked, ranked + region->count}});
      from = region->to;
    }
    break;
  }
  return service;
}

} // namespace switchyard
