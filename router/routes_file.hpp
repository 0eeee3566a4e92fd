// A tuned table as a file, read at run time in place of the compiled one.
//
// The text is JSON, as tablegen/generate_json.hpp writes it. It is checked as a whole before any of
// it is used, so that a damaged file serves no call at all.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "switchyard/core/route_table.hpp"

namespace switchyard {

// The contents of a routes file. Names are those of the file, whether this build knows them or not.
class RoutesFile {
public:
  // Never blocks on a pipe or device. Throws std::runtime_error whose what() is one line,
  // "<file>: <JSON pointer>: <what is wrong>", for anything but a valid file.
  explicit RoutesFile(const std::string &path);
  RoutesFile(const RoutesFile &) = delete;
  RoutesFile &operator=(const RoutesFile &) = delete;

  // Its path as printable text on one line.
  [[nodiscard]] const std::string &name() const { return name_; }
  // Refers to this object.
  [[nodiscard]] RouteTable table() const;

private:
  friend class RoutesReader;
  std::string name_;
  std::string profile_;
  std::string candidate_set_;
  std::set<std::string, std::less<>> names_; // nodes stay where they are
  std::vector<Route> routes_;
  std::vector<RouteAlternative> alternatives_;
};

} // namespace switchyard
