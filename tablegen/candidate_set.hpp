// The candidates of a build as plain data, so that the route policy runs on any set of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchyard/core/candidate.hpp"

namespace switchyard::tablegen {

struct CandidateInfo {
  std::string id;
  int version = 1;
  std::string backend;
  bool built = true;
  std::vector<Exactness> exactness; // per dtype case of the variant
};

struct VariantInfo {
  std::string name;
  std::vector<std::string> dtypes;
  std::vector<CandidateInfo> candidates; // the last one is the floor, which accepts every problem
  bool by_channels = true;               // see Kinds
  std::vector<std::string> op_classes{};

  // nullptr when there is no candidate of this id.
  [[nodiscard]] const CandidateInfo *find(std::string_view id) const;
  // Index of the dtype case, or -1.
  [[nodiscard]] int dtype_case(std::string_view dtype) const;
  // The class that cells of a parameter set belong to, empty where the variant has none of its own;
  // nullptr where it has, but none of this name.
  [[nodiscard]] const std::string *op_class_of(std::string_view params) const;
};

struct CandidateSet {
  std::vector<VariantInfo> variants;

  // nullptr when there is no variant of this name.
  [[nodiscard]] const VariantInfo *find(std::string_view variant) const;
};

[[nodiscard]] CandidateSet candidate_set(std::span<const OpTable *const> ops);

// 16 hexadecimal digits over the ids, versions and exactness of the built candidates; the order
// of ops, variants and candidates does not matter.
[[nodiscard]] std::string hash_of(const CandidateSet &set);

} // namespace switchyard::tablegen
