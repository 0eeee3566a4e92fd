#include "tablegen/unknown.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace switchyard::tablegen {
namespace {

// What is unknown about a row of a known variant; empty: nothing. The name in a limit's row is
// that of the limit, no candidate's.
std::string unknown_in(const evidence::Row &row, const VariantInfo &variant) {
  if (row.status != evidence::Status::limit && variant.find(row.candidate) == nullptr) {
    return fmt::format("candidate \"{}\"", row.candidate);
  }
  if (variant.dtype_case(row.cell.dtype) < 0) {
    return fmt::format("dtype \"{}\"", row.cell.dtype);
  }
  return {};
}

std::vector<Unknown> unknown_in(const evidence::VariantEvidence &file, const std::string &name,
                                const CandidateSet &set) {
  const VariantInfo *variant = set.find(name);
  if (variant == nullptr) {
    return {{name, "/variant", fmt::format("variant \"{}\"", name), file.rows.size(), true}};
  }
  std::vector<Unknown> found;
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const std::string what = unknown_in(file.rows[i], *variant);
    if (what.empty()) {
      continue;
    }
    auto place = std::find_if(found.begin(), found.end(),
                              [&](const Unknown &unknown) { return unknown.what == what; });
    if (place == found.end()) {
      place = found.insert(found.end(), {name, fmt::format("/rows/{}", i), what, 0, false});
    }
    ++place->rows;
  }
  return found;
}

std::filesystem::path file_of(const std::filesystem::path &profile_folder,
                              const std::string &variant) {
  return profile_folder / (variant + ".json");
}

void remove_file(const std::filesystem::path &file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) {
    throw evidence::EvidenceError(
        fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
  }
}

} // namespace

std::vector<Unknown> find_unknown(const evidence::Profile &profile, const CandidateSet &set) {
  std::vector<Unknown> all;
  for (const auto &[name, file] : profile.variants) {
    const std::vector<Unknown> found = unknown_in(file, name, set);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string message(const Unknown &unknown, const std::string &evidence,
                    const std::filesystem::path &profile_folder) {
  std::string text =
      fmt::format("{}: {}: {} is unknown to this build; repair: build/switchyard_tablegen "
                  "--evidence {} --prune (removes its {})",
                  file_of(profile_folder, unknown.variant).string(), unknown.pointer, unknown.what,
                  evidence::shell_quoted(evidence), unknown.whole_file ? "file" : "rows");
  if (!unknown.whole_file) {
    text += fmt::format(", or measure again: ./scripts/regenerate.sh --ops '{}'", unknown.variant);
  }
  return text;
}

std::vector<std::string> prune(const evidence::Profile &profile, const CandidateSet &set,
                               const std::filesystem::path &profile_folder) {
  std::vector<std::string> removed;
  std::set<std::string> changed;
  for (const Unknown &unknown : find_unknown(profile, set)) {
    removed.push_back(fmt::format("{}: removed {} row{} of {}",
                                  file_of(profile_folder, unknown.variant).string(), unknown.rows,
                                  unknown.rows == 1 ? "" : "s", unknown.what));
    changed.insert(unknown.variant);
  }
  for (const std::string &name : changed) {
    evidence::VariantEvidence file = profile.variants.at(name);
    const VariantInfo *variant = set.find(name);
    std::erase_if(file.rows, [&](const evidence::Row &row) {
      return variant == nullptr || !unknown_in(row, *variant).empty();
    });
    std::erase_if(file.contexts, [&](const auto &context) {
      return std::none_of(file.rows.begin(), file.rows.end(),
                          [&](const evidence::Row &row) { return row.context == context.first; });
    });
    if (file.rows.empty()) {
      remove_file(file_of(profile_folder, name));
    } else {
      evidence::write(profile_folder, file);
    }
  }
  return removed;
}

} // namespace switchyard::tablegen
