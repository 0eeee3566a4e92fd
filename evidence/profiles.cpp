// Evidence of several equal machines as one profile.
#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "evidence/context.hpp"
#include "evidence/evidence.hpp"

namespace switchyard::evidence {
namespace {

void check_equal(const Machine &into, const Machine &from) {
  const auto differ = [](const char *what, const std::string &a, const std::string &b) {
    if (a != b) {
      throw std::invalid_argument(fmt::format("{} \"{}\" is not \"{}\"", what, b, a));
    }
  };
  differ("profile", into.profile, from.profile);
  const Context a = context_of(into, "");
  const Context b = context_of(from, "");
  differ("machine", a.machine, b.machine);
  differ("compiler", a.compiler, b.compiler);
  differ("harness", std::to_string(a.harness), std::to_string(b.harness));
}

// Everything of a cell's rows that counts, by cell.
std::map<std::string, std::string> cells_of(const VariantEvidence &evidence) {
  std::map<std::string, VariantEvidence> cells;
  for (const Row &row : evidence.rows) {
    VariantEvidence &cell = cells[row.cell.key()];
    cell.variant = evidence.variant;
    cell.rows.push_back(row);
    cell.contexts.insert(*evidence.contexts.find(row.context));
  }
  std::map<std::string, std::string> texts;
  for (const auto &[key, cell] : cells) {
    texts.emplace(key, to_json(cell));
  }
  return texts;
}

} // namespace

ProfileMerge merge_profile(Profile &into, const Profile &from, bool any_machine) {
  if (!any_machine) {
    check_equal(into.machine, from.machine);
  }
  ProfileMerge report;
  for (const auto &[name, newer] : from.variants) {
    VariantEvidence &older = into.variants[name];
    older.variant = name;
    const auto before = cells_of(older);
    for (const auto &[key, text] : cells_of(newer)) {
      const auto found = before.find(key);
      if (found == before.end()) {
        ++report.added;
      } else if (found->second != text) {
        report.conflicts.push_back(fmt::format("{}#{}", name, key));
      }
    }
    older = merge(older, newer);
  }
  return report;
}

std::string shell_quoted(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

} // namespace switchyard::evidence
