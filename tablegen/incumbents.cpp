#include "tablegen/incumbents.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "evidence/evidence.hpp"

namespace switchyard::tablegen {
namespace {

template <class Enum> Enum enum_of(std::string_view name, int count) {
  int value = 0;
  while (value < count - 1 && name_of(static_cast<Enum>(value)) != name) {
    ++value;
  }
  return static_cast<Enum>(value);
}

bool lacks(const CandidateSet &set, const std::string &variant, const std::string &candidate) {
  const VariantInfo *info = set.find(variant);
  const CandidateInfo *known = info == nullptr ? nullptr : info->find(candidate);
  return known != nullptr && !known->built;
}

} // namespace

std::vector<evidence::IncumbentRoute> to_routes(const Incumbents &incumbents) {
  std::vector<evidence::IncumbentRoute> routes;
  for (const auto &[key, alternative] : incumbents) {
    const ClassKey &of = key.of_class;
    routes.push_back({of.variant, of.dtype, of.channels, std::string(name_of(of.layout)),
                      std::string(name_of(of.output)), of.thread_budget,
                      std::string(name_of(key.demand)), key.from, alternative.candidate,
                      alternative.threads, of.op_class});
  }
  return routes;
}

Incumbents incumbents_from(const std::vector<evidence::IncumbentRoute> &routes) {
  Incumbents incumbents;
  for (const evidence::IncumbentRoute &route : routes) {
    const ClassKey key{route.variant,
                       route.dtype,
                       route.channels,
                       enum_of<LayoutClass>(route.layout, kLayoutClasses),
                       enum_of<OutputMode>(route.output, kOutputModes),
                       route.thread_budget,
                       route.op_class};
    const bool bitwise = route.exactness == name_of(Exactness::bitwise);
    incumbents[{key, route.from, bitwise ? Exactness::bitwise : Exactness::faithful}] = {
        route.candidate, route.threads};
  }
  return incumbents;
}

Incumbents read_incumbents(const std::filesystem::path &profile_folder) {
  return incumbents_from(evidence::read_incumbents(profile_folder));
}

Incumbents kept_for_others(const Incumbents &now, const Incumbents &before,
                           const CandidateSet &set) {
  std::set<ClassKey> kept;
  for (const auto &[key, alternative] : before) {
    if (lacks(set, key.of_class.variant, alternative.candidate)) {
      kept.insert(key.of_class);
    }
  }
  Incumbents result;
  const auto take = [&](const Incumbents &from, bool of_kept) {
    std::copy_if(from.begin(), from.end(), std::inserter(result, result.end()),
                 [&](const auto &entry) { return kept.contains(entry.first.of_class) == of_kept; });
  };
  take(now, false);
  take(before, true);
  return result;
}

void check_recordable(const std::filesystem::path &profile_folder) {
  if (std::filesystem::exists(profile_folder / "machine.json")) {
    static_cast<void>(evidence::read_profile(profile_folder));
  }
  static_cast<void>(read_incumbents(profile_folder));
}

void record_incumbents(const std::filesystem::path &profile_folder, const CandidateSet &set) {
  const Incumbents before = read_incumbents(profile_folder);
  const Plan plan = plan_routes(evidence::read_profile(profile_folder), set, before);
  evidence::write_incumbents(profile_folder,
                             to_routes(kept_for_others(incumbents_of(plan), before, set)));
}

} // namespace switchyard::tablegen
