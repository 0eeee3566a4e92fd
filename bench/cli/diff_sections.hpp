// What a comparison says, as lists of subjects and what there is to say of each: text and Markdown
// are two ways to set them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tablegen/diff.hpp"

namespace switchyard::cli {

struct DiffEntry {
  std::string subject; // a class, a cell, a fact
  std::string detail;
};

struct DiffSection {
  std::string title;
  std::size_t count = 0; // at least as many as there are entries
  std::vector<DiffEntry> entries;
};

// Those that have entries, the gravest first.
[[nodiscard]] std::vector<DiffSection> sections_of(const tablegen::ProfileDiff &diff);

// How much was compared, and on what footing: sentences, one a line.
[[nodiscard]] std::vector<std::string> basis_of(const tablegen::ProfileDiff &diff);

} // namespace switchyard::cli
