#include "tablegen/profile_set.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace switchyard::tablegen {
namespace {

using evidence::Row;

// The newest version of every candidate that has rows, limits aside.
std::map<std::string, int> newest_versions(const evidence::VariantEvidence &file) {
  std::map<std::string, int> versions;
  for (const Row &row : file.rows) {
    if (row.status != evidence::Status::limit) {
      int &version = versions[row.candidate];
      version = std::max(version, row.version);
    }
  }
  return versions;
}

void add_dtypes(VariantInfo &variant, const evidence::VariantEvidence &file,
                std::vector<std::string> &notes) {
  for (const Row &row : file.rows) {
    if (variant.dtype_case(row.cell.dtype) >= 0) {
      continue;
    }
    notes.push_back(
        fmt::format("{}: dtype \"{}\" is unknown to this program", variant.name, row.cell.dtype));
    variant.dtypes.push_back(row.cell.dtype);
    for (CandidateInfo &candidate : variant.candidates) {
      candidate.exactness.push_back(Exactness::faithful);
    }
  }
}

void add_candidate(VariantInfo &variant, const std::string &id, int version) {
  const std::string backend = id.substr(0, id.find('_'));
  CandidateInfo info{id, version, backend, true, {}};
  info.exactness.assign(variant.dtypes.size(), Exactness::faithful);
  // The floor stays the last one.
  const bool has_floor = !variant.candidates.empty() && variant.candidates.back().id == "loop";
  variant.candidates.insert(variant.candidates.end() - (has_floor ? 1 : 0), std::move(info));
}

void adapt(VariantInfo &variant, const evidence::VariantEvidence &file,
           std::vector<std::string> &notes) {
  add_dtypes(variant, file, notes);
  std::string older;
  for (const auto &[id, version] : newest_versions(file)) {
    const auto known = std::find_if(variant.candidates.begin(), variant.candidates.end(),
                                    [&, name = id](const auto &each) { return each.id == name; });
    if (known == variant.candidates.end()) {
      notes.push_back(
          fmt::format("{}: candidate \"{}\" is unknown to this program", variant.name, id));
      add_candidate(variant, id, version);
      continue;
    }
    if (version < known->version) {
      older += (older.empty() ? "" : ", ") + id;
    }
    known->version = version;
    known->built = true;
  }
  if (!older.empty()) {
    notes.push_back(fmt::format("{}: this build has newer versions of {}, and would not use these "
                                "rows",
                                variant.name, older));
  }
}

} // namespace

CandidateSet set_of_profile(const CandidateSet &build, const evidence::Profile &profile,
                            std::vector<std::string> &notes) {
  CandidateSet set = build;
  for (const auto &[name, file] : profile.variants) {
    auto place = std::find_if(set.variants.begin(), set.variants.end(),
                              [&, wanted = name](const auto &each) { return each.name == wanted; });
    if (place == set.variants.end()) {
      notes.push_back(fmt::format("variant \"{}\" is unknown to this program", name));
      place = set.variants.insert(set.variants.end(), {name, {}, {}});
      std::vector<std::string> known; // the one note says it all
      adapt(*place, file, known);
      continue;
    }
    adapt(*place, file, notes);
  }
  return set;
}

} // namespace switchyard::tablegen
