#include "tablegen/candidate_set.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evidence/evidence.hpp"

namespace switchyard::tablegen {
namespace {

template <class Items, class Name>
auto find_named(const Items &items, std::string_view name, Name member) -> decltype(items.data()) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const auto &item) { return item.*member == name; });
  return found == items.end() ? nullptr : &*found;
}

VariantInfo variant_info(const Variant &variant) {
  const Kinds &kinds = variant.kinds;
  VariantInfo info{std::string(variant.name),
                   {},
                   {},
                   kinds.by_channels,
                   {kinds.classes.begin(), kinds.classes.end()}};
  for (const DtypeCase &dtype : variant.dtypes) {
    info.dtypes.emplace_back(dtype.name);
  }
  for (const Candidate &candidate : variant.candidates) {
    const auto *exactness = candidate.exactness.data();
    info.candidates.push_back({std::string(candidate.id),
                               candidate.version,
                               std::string(candidate.backend),
                               candidate.built(),
                               {exactness, exactness + variant.dtypes.size()}});
  }
  return info;
}

} // namespace

const CandidateInfo *VariantInfo::find(std::string_view id) const {
  return find_named(candidates, id, &CandidateInfo::id);
}

int VariantInfo::dtype_case(std::string_view dtype) const {
  const auto found = std::find(dtypes.begin(), dtypes.end(), dtype);
  return found == dtypes.end() ? -1 : static_cast<int>(found - dtypes.begin());
}

const std::string *VariantInfo::op_class_of(std::string_view params) const {
  static const std::string kNone;
  if (op_classes.empty()) {
    return &kNone;
  }
  const auto found = std::find_if(op_classes.begin(), op_classes.end(), [&](const auto &each) {
    return params == each || (params.starts_with(each) && params[each.size()] == '_');
  });
  return found == op_classes.end() ? nullptr : &*found;
}

const VariantInfo *CandidateSet::find(std::string_view variant) const {
  return find_named(variants, variant, &VariantInfo::name);
}

CandidateSet candidate_set(std::span<const OpTable *const> ops) {
  CandidateSet set;
  for (const OpTable *op : ops) {
    for (const Variant &variant : op->variants) {
      set.variants.push_back(variant_info(variant));
    }
  }
  return set;
}

std::string hash_of(const CandidateSet &set) {
  std::vector<std::string> lines;
  for (const VariantInfo &variant : set.variants) {
    for (const CandidateInfo &candidate : variant.candidates) {
      if (!candidate.built) {
        continue;
      }
      std::string line = fmt::format("{}#{}@{}", variant.name, candidate.id, candidate.version);
      for (std::size_t i = 0; i < candidate.exactness.size(); ++i) {
        line += fmt::format(" {}={}", variant.dtypes[i], name_of(candidate.exactness[i]));
      }
      lines.push_back(line + '\n');
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string &line : lines) {
    text += line;
  }
  return evidence::hash_of(text);
}

} // namespace switchyard::tablegen
