// What tells cells, and classes of routes, apart besides their size.
#pragma once

#include <string>
#include <string_view>

#include "evidence/evidence.hpp"
#include "tablegen/policy.hpp"

namespace switchyard::report {

struct Key {
  std::string_view name; // the label of its filter
  std::string (*of_cell)(const evidence::Cell &);
  std::string (*of_class)(const tablegen::ClassKey &); // nullptr: routes don't depend on it
};

// A further key is one more line: filters, tables and charts of the page follow this list.
inline constexpr Key kKeys[] = {
    {"dtype", [](const evidence::Cell &cell) { return cell.dtype; },
     [](const tablegen::ClassKey &key) { return key.dtype; }},
    {"channels", [](const evidence::Cell &cell) { return std::to_string(cell.channels()); },
     [](const tablegen::ClassKey &key) { return std::to_string(key.channels); }},
    {"layout", [](const evidence::Cell &cell) { return cell.layout; },
     [](const tablegen::ClassKey &key) { return std::string(name_of(key.layout)); }},
    {"output", [](const evidence::Cell &cell) { return cell.output; },
     [](const tablegen::ClassKey &key) { return std::string(name_of(key.output)); }},
    {"cache", [](const evidence::Cell &cell) { return cell.cache; }, nullptr},
    {"threads", [](const evidence::Cell &cell) { return std::to_string(cell.thread_budget); },
     [](const tablegen::ClassKey &key) { return std::to_string(key.thread_budget); }},
    {"parameters", [](const evidence::Cell &cell) { return cell.params; }, nullptr},
};

} // namespace switchyard::report
