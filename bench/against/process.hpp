// Other programs, run without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::against {

struct Finished {
  int status = 0;     // exit code, or 128 + the signal that ended it
  std::string output; // what it wrote to its standard output
};

// Runs the program of this name on the PATH with its arguments and waits for it. Its standard
// input is empty; its messages on standard error are not kept. Throws std::runtime_error
// "<program>: …" where it cannot be started.
[[nodiscard]] Finished run(const std::vector<std::string> &command);

// The same, with all that it writes appended to a file. Returns its status.
[[nodiscard]] int run_logged(const std::vector<std::string> &command,
                             const std::filesystem::path &log);

} // namespace switchyard::against
