// The module's only source of this tree: rows for the candidates of the revision that it is built
// in. It uses as little of that revision as it can, so that it compiles with old ones.
#include "../module.hpp"
#include "../layout.hpp"

#include <string>
#include <vector>

#include "candidates/registry.hpp"

namespace switchyard::against {
namespace {

ModuleCandidate row_of(const Variant &variant, const Candidate &candidate) {
  ModuleCandidate row;
  row.variant = variant.name;
  row.id = candidate.id;
  row.version = candidate.version;
  row.split = static_cast<std::uint8_t>(candidate.split);
  row.domain = candidate.domain;
  row.run = candidate.run;
  for (std::size_t i = 0; i < variant.dtypes.size() && i < kModuleDtypes; ++i) {
    row.dtypes[i] = variant.dtypes[i].name;
    row.exactness[i] = static_cast<std::uint8_t>(candidate.exactness[i]);
  }
  return row;
}

std::vector<ModuleCandidate> rows() {
  std::vector<ModuleCandidate> result;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      for (const Candidate &candidate : variant.candidates) {
        if (candidate.run != nullptr) {
          result.push_back(row_of(variant, candidate));
        }
      }
    }
  }
  return result;
}

} // namespace
} // namespace switchyard::against

extern "C" __attribute__((visibility("default"))) const switchyard::against::ModuleTable *
switchyard_against_table() {
  using namespace switchyard::against;
  static const std::string kLayout = layout_text();
  static const std::vector<ModuleCandidate> kRows = rows();
  static const ModuleTable kTable{kLayout, kRows.data(), kRows.size()};
  return &kTable;
}
