// The comparison of two sides' profiles as text, Markdown and JSON.
#pragma once

#include <string>
#include <vector>

#include "tablegen/diff.hpp"

namespace switchyard::cli {

struct DiffReport {
  std::string before; // names of the sides
  std::string after;
  std::vector<tablegen::ProfileDiff> profiles; // by name

  [[nodiscard]] bool regression() const;
};

// One line: how many routes changed, and whether anything got slower.
[[nodiscard]] std::string verdict(const DiffReport &report);

// The verdict first, then what changed, section by section; sections without entries are left out.
// A section shows at most `most` entries and says how many it left out. Lines of the text have at
// most 80 columns; Markdown has a table a section, and nothing in it can be mistaken for markup.
[[nodiscard]] std::string to_text(const DiffReport &report, std::size_t most);
[[nodiscard]] std::string to_markdown(const DiffReport &report, std::size_t most);
// Everything, indented by two. docs/reviewing.md describes it.
[[nodiscard]] std::string to_json(const DiffReport &report);

} // namespace switchyard::cli
