// Tables that are loaded while the program runs.
#pragma once

#include <string>

namespace switchyard {

struct RoutesResult {
  bool loaded = false;
  // One line that names the file. Not loaded: what is wrong with it. Loaded: what of it this build
  // does not know and passes over; empty where it knows all.
  std::string message;

  explicit operator bool() const { return loaded; }
};

// Serves the calls that begin from now on by the routes of this file, which
// `switchyard tablegen --json` has written; the compiled table keeps the variants and dtypes that
// it has no route for. A file that cannot be used changes nothing. Routes never change a result
// beyond its contract, whatever the file says. Throws nothing but std::bad_alloc.
//
// May be called at any time from any thread: calls in progress keep the table that they began
// with. Since that table is kept for them, every load takes some memory (about as much as the file)
// until the program ends. The environment variable SWITCHYARD_ROUTES=FILE loads a file before the
// first routed call; there, the message of a file that is not wholly used goes to stderr.
[[nodiscard]] RoutesResult load_routes(const std::string &path);

// Serves the calls that begin from now on by the compiled table alone. Throws Error where the
// environment is wrong, as the first routed call would.
void unload_routes();

} // namespace switchyard
