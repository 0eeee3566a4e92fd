// The working file of a campaign in progress: <profile folder>/.campaign.
//
// It is written line by line and holds what was asked for, the cells that are done, and the rows
// of those that have not been merged into the evidence yet. A process that is killed loses nothing
// that it had written; its last line may be torn, and is then left out. A campaign that ends
// removes its journal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.hpp"

namespace switchyard::measure {

// What a campaign was asked to measure, by option. Names have no tab, '=' or line end in them,
// values neither tab nor line end.
using Request = std::map<std::string, std::string>;

struct DoneCell {
  std::string name; // "<variant>#<cell key>"
  evidence::Merge how = evidence::Merge::cells;
  evidence::VariantEvidence evidence; // the cell's rows; none where nothing competed
};

struct JournalContents {
  Request request; // empty: no campaign was begun
  std::set<std::string> done;
  std::vector<DoneCell> unmerged; // in the order of measuring
  std::size_t size = 0;           // bytes of whole lines
};

// Throws evidence::EvidenceError "<name>: line <n>: …" for whole lines that are none of a
// journal's.
[[nodiscard]] JournalContents parse_journal(std::string_view text, const std::string &name);

// The request of the campaign that was interrupted in this profile; nullopt: there is none. Throws
// evidence::EvidenceError for a file that is no journal.
[[nodiscard]] std::optional<Request> interrupted_request(const std::filesystem::path &folder);

// The journal of this process's campaign, locked for as long as it is there. Every function throws
// evidence::EvidenceError where the file cannot be read or written.
class Journal {
public:
  // Creates the file if need be. nullptr: another process's campaign has it.
  [[nodiscard]] static std::unique_ptr<Journal> open(const std::filesystem::path &folder);

  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;
  ~Journal();

  // What a former process left behind.
  [[nodiscard]] const JournalContents &contents() const { return contents_; }

  // Forgets what was there and starts a campaign.
  void begin(const Request &request);
  void append(const DoneCell &cell);
  // All cells so far are in the evidence.
  void mark_merged();
  // The campaign is over.
  void remove();

private:
  Journal(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  void write_line(std::string line);

  std::filesystem::path path_;
  int file_;
  JournalContents contents_;
};

} // namespace switchyard::measure
