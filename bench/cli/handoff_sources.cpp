// Sections of a hand-off from git and the documentation.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "bench/against/process.hpp"
#include "bench/cli/handoff_sections.hpp"

namespace switchyard::cli {
namespace {

// ---- tables of Markdown -------------------------------------------------------------------------

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  const std::size_t last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, last - first + 1));
}

// The cells of "| a | b |"; none of a line that is no row.
std::vector<std::string> cells_of(const std::string &line) {
  std::vector<std::string> cells;
  const std::string row = trimmed(line);
  if (row.size() < 2 || row.front() != '|' || row.back() != '|') {
    return cells;
  }
  for (std::size_t from = 1; from < row.size();) {
    const std::size_t end = row.find('|', from);
    cells.push_back(trimmed(std::string_view(row).substr(from, end - from)));
    from = end + 1;
  }
  return cells;
}

bool is_rule(const std::vector<std::string> &cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string &cell) {
    return cell.find_first_not_of("-:") == std::string::npos;
  });
}

std::string op_of(std::string_view variant) {
  return std::string(variant.substr(0, variant.find('/')));
}

std::set<std::string> ops_of(const Entries &entries) {
  std::set<std::string> ops;
  for (const measure::Entry &entry : entries) {
    ops.insert(op_of(entry.variant->name));
  }
  return ops;
}

// The words of a list, or those in backticks where there is no list: "`add/vector` u8" → add.
std::set<std::string> ops_named(const std::string &text, bool is_list) {
  std::set<std::string> names;
  std::istringstream parts(text);
  std::string part;
  for (bool quoted = false; std::getline(parts, part, is_list ? ',' : '`'); quoted = !quoted) {
    if (is_list || quoted) {
      names.insert(op_of(trimmed(part)));
    }
  }
  return names;
}

// Whether a row is about one of the ops: by its column `Ops`, else by its first one.
bool is_about(const std::vector<std::string> &cells, std::size_t ops_at,
              const std::set<std::string> &ops) {
  const bool is_list = ops_at < cells.size();
  const std::set<std::string> named = ops_named(cells[is_list ? ops_at : 0], is_list);
  return (is_list && named.contains("all")) ||
         std::any_of(named.begin(), named.end(),
                     [&](const std::string &name) { return ops.contains(name); });
}

Json object_of(const std::string &heading, const std::vector<std::string> &header,
               const std::vector<std::string> &cells, std::size_t ops_at) {
  Json row{{"section", heading}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == ops_at || cells[i].empty()) {
      continue;
    }
    std::string name = i < header.size() && !header[i].empty() ? header[i] : "";
    if (name.empty() && i > 0 && i - 1 < header.size()) {
      name = header[i - 1] + ", figures"; // a column without a name belongs to the one before it
    }
    row[name] = cells[i];
  }
  return row;
}

// ---- git ----------------------------------------------------------------------------------------

struct FileChange {
  char how = 'M'; // as git has it: A, M, D, R
  std::string file;
};

// What differs between the baseline's commit and the working tree, below these paths, by name.
std::vector<FileChange> changes(const HandoffSources &sources,
                                const std::vector<std::string> &paths) {
  std::vector<std::string> command{"git",           "-C",           sources.repository, "diff",
                                   "--name-status", "--no-renames", sources.commit,     "--"};
  command.insert(command.end(), paths.begin(), paths.end());
  std::istringstream lines(against::run(command).output);
  std::vector<FileChange> result;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos) {
      result.push_back({line.front(), line.substr(tab + 1)});
    }
  }
  return result;
}

const char *word_of(char how) {
  return how == 'A' ? "added" : how == 'D' ? "removed" : "changed";
}

void add_files(HandoffSection &section, const std::string &what,
               const std::vector<FileChange> &files) {
  for (const FileChange &change : files) {
    section.table.rows.push_back({what, change.file, Json(), word_of(change.how)});
  }
}

Json version_of(const tablegen::CandidateInfo *candidate) {
  return candidate == nullptr ? Json() : Json(candidate->version);
}

// Candidates that have rows on one side alone, or rows of another version.
void add_versions(HandoffSection &section, const HandoffPair &pair) {
  std::map<std::pair<std::string, std::string>, int> all; // variant, candidate: which sides
  for (const HandoffSide *side : {pair.before, pair.after}) {
    for (const auto &[variant, file] : side->profile().variants) {
      for (const evidence::Row &row : file.rows) {
        if (row.status != evidence::Status::limit) {
          all[{variant, row.candidate}] |= side == pair.before ? 1 : 2;
        }
      }
    }
  }
  const auto info = [](const HandoffSide &side, const auto &name) {
    const tablegen::VariantInfo *variant = side.set().find(name.first);
    return variant == nullptr ? nullptr : variant->find(name.second);
  };
  for (const auto &[name, sides] : all) {
    const Json was = (sides & 1) != 0 ? version_of(info(*pair.before, name)) : Json();
    const Json is = (sides & 2) != 0 ? version_of(info(*pair.after, name)) : Json();
    if (was != is) {
      section.table.rows.push_back(
          {"version of a candidate", name.first + " " + name.second, was, is});
    }
  }
}

} // namespace

std::optional<std::vector<Json>> rows_about(const std::string &file, const Entries &entries) {
  std::ifstream stream(file);
  if (!stream) {
    return std::nullopt;
  }
  const std::set<std::string> ops = ops_of(entries);
  std::vector<Json> rows;
  std::string heading;
  std::vector<std::string> header;
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty()) {
      header.clear();
      heading = line.starts_with("#") ? trimmed(line.substr(line.find_first_not_of('#'))) : heading;
    } else if (header.empty()) {
      header = cells;
    } else if (!is_rule(cells)) {
      const auto at =
          static_cast<std::size_t>(std::find(header.begin(), header.end(), "Ops") - header.begin());
      if (is_about(cells, at < header.size() ? at : cells.size(), ops)) {
        rows.push_back(object_of(heading, header, cells, at));
      }
    }
  }
  return rows;
}

HandoffSection moved_section(const HandoffPairs &pairs, const Entries &entries,
                             const HandoffSources &sources) {
  HandoffSection section{"moved", "Operations moved into the library"};
  section.table.columns = {"what", "where", "before", "after"};
  for (const HandoffPair &pair : pairs) {
    for (const auto &[variant, file] : pair.after->profile().variants) {
      if (pair.before != nullptr && !pair.before->profile().variants.contains(variant)) {
        section.table.rows.push_back(
            {"variant with its first evidence", variant, Json(), file.rows.size()});
      }
    }
  }
  if (!sources.commit.empty()) {
    std::vector<std::string> paths{"kernels"};
    for (const std::string &op : ops_of(entries)) {
      paths.push_back("candidates/" + op);
    }
    std::vector<FileChange> files = changes(sources, paths);
    std::erase_if(files, [](const FileChange &change) { return change.how != 'A'; });
    add_files(section, "new source file", files);
  }
  section.to_fill_in.emplace_back(
      "what callers did by themselves and can leave to a call now; what they still do");
  return section;
}

HandoffSection gaps_section(const Entries &entries, const HandoffSources &sources) {
  HandoffSection section{"gaps", "Capability gaps"};
  section.table.columns = {"library", "gap", "here", "test", "upstream"};
  const auto rows = rows_about(sources.root + "/docs/capability-gaps.md", entries);
  if (!rows) {
    section.to_fill_in.emplace_back("gaps: docs/capability-gaps.md is not there");
    return section;
  }
  section.lines.emplace_back("Entries of docs/capability-gaps.md that name these ops.");
  for (const Json &row : *rows) {
    const auto text = [&](const char *name) {
      const std::string value = row.value(name, "");
      return value.empty() || value == "–" ? Json() : Json(value);
    };
    section.table.rows.push_back(
        {text("section"), text("Gap"), text("Here"), text("Test"), text("Upstream")});
  }
  section.to_fill_in.emplace_back("gaps that this change met and that the page doesn't have yet");
  return section;
}

HandoffSection compatibility_section(const HandoffPairs &pairs, const Entries &entries,
                                     const HandoffSources &sources) {
  HandoffSection section{"compatibility", "Compatibility"};
  section.table.columns = {"what", "where", "before", "after"};
  for (const HandoffPair &pair : pairs) {
    if (pair.before != nullptr) {
      add_versions(section, pair);
    }
  }
  if (!sources.commit.empty()) {
    add_files(section, "public header", changes(sources, {"router/include"}));
    std::vector<std::string> contracts{"docs/contracts.md"};
    for (const std::string &op : ops_of(entries)) {
      contracts.push_back(fmt::format("candidates/{}/contract.cpp", op));
      contracts.push_back(fmt::format("candidates/{}/params.hpp", op));
    }
    add_files(section, "contract", changes(sources, contracts));
    add_files(section, "schema", changes(sources, {"evidence/schema"}));
  }
  section.to_fill_in.emplace_back(
      "results, signatures or files that changed for callers, and what they have to do");
  return section;
}

} // namespace switchyard::cli
