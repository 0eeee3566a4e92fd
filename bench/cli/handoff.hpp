// The record of a performance change, as sections: text for people and tables for both.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/json.hpp"

namespace switchyard::cli {

struct HandoffRequest {
  std::vector<std::string> ops; // ops, variants, or shell patterns of either
  std::string against;          // a revision or a folder; empty: no baseline
  std::string evidence;         // folder of profiles; empty: this build's
  std::string path;             // where a revision keeps its profiles
};

// A table's entries are texts, numbers, intervals {"estimate", "low", "high"}, reasons {"reason",
// "detail", "cells"} and lists of these, null where nothing is known; the ending of a column's name
// tells the unit: _ns, _bytes, or none.
struct HandoffTable {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

struct HandoffSection {
  std::string id;
  std::string title;
  std::vector<std::string> lines = {}; // a paragraph each
  HandoffTable table = {};
  std::vector<std::string> to_fill_in = {}; // what only a person can say
};

struct HandoffRecord {
  std::vector<std::string> variants;
  std::string before; // the sides' names; empty: no baseline
  std::string after;
  bool regression = false; // of these variants, against the baseline
  std::vector<HandoffSection> sections;
};

// Equal evidence, candidates and repository give equal records. Throws std::exception of one line
// for names, revisions and evidence that are not there.
[[nodiscard]] HandoffRecord handoff_record(const HandoffRequest &request);

[[nodiscard]] std::string to_markdown(const HandoffRecord &record);
[[nodiscard]] std::string to_json(const HandoffRecord &record);

} // namespace switchyard::cli
