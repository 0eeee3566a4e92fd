// What tells cells, and classes of routes, apart besides their size.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evidence/evidence.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::report {

struct Key {
  using OfCell = std::string (*)(const evidence::Cell &, const tablegen::VariantInfo *);
  using OfClass = std::optional<std::string> (*)(const tablegen::ClassKey &,
                                                 const tablegen::VariantInfo *);
  std::string_view name; // the label of its filter
  OfCell of_cell;        // empty where the variant has no such key
  OfClass of_class;      // nullopt where the variant's routes don't depend on it
};

using ClassValue = std::optional<std::string>;

// Routes never depend on it.
inline ClassValue in_no_class(const tablegen::ClassKey & /*key*/,
                              const tablegen::VariantInfo * /*variant*/) {
  return std::nullopt;
}

inline std::string op_class_of(const evidence::Cell &cell, const tablegen::VariantInfo *variant) {
  const std::string *op_class = variant == nullptr ? nullptr : variant->op_class_of(cell.params);
  return op_class == nullptr ? std::string() : *op_class;
}

// Whether the last extent of a cell sets it apart; else it is part of its size alone.
inline bool by_channels(const tablegen::VariantInfo *variant) {
  return variant == nullptr || variant->by_channels;
}

inline std::string channels_of(const evidence::Cell &cell, const tablegen::VariantInfo *variant) {
  return by_channels(variant) ? std::to_string(cell.channels()) : std::string();
}

inline ClassValue channels_of_class(const tablegen::ClassKey &key,
                                    const tablegen::VariantInfo *variant) {
  return by_channels(variant) ? ClassValue(std::to_string(key.channels)) : std::nullopt;
}

// A further key is one more line: filters, tables and charts of the page follow this list.
inline constexpr Key kKeys[] = {
    {"dtype", [](const auto &cell, auto *) { return cell.dtype; },
     [](const auto &key, auto *) { return ClassValue(key.dtype); }},
    {"channels", channels_of, channels_of_class},
    {"layout", [](const auto &cell, auto *) { return cell.layout; },
     [](const auto &key, auto *) { return ClassValue(name_of(key.layout)); }},
    {"output", [](const auto &cell, auto *) { return cell.output; },
     [](const auto &key, auto *) { return ClassValue(name_of(key.output)); }},
    {"cache", [](const auto &cell, auto *) { return cell.cache; }, in_no_class},
    {"threads", [](const auto &cell, auto *) { return std::to_string(cell.thread_budget); },
     [](const auto &key, auto *) { return ClassValue(std::to_string(key.thread_budget)); }},
    {"op class", op_class_of, [](const auto &key, auto *) { return ClassValue(key.op_class); }},
    {"parameters", [](const auto &cell, auto *) { return cell.params; }, in_no_class},
};

} // namespace switchyard::report
