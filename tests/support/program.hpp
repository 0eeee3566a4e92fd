// The command line as a user runs it.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/temporary_folder.hpp"

namespace switchyard::test {

struct Ran {
  int code = 0; // exit code; −1 where a signal ended it
  std::string out;
  std::string err;
};

// Runs a line of the shell in `folder`.
inline Ran shell(const std::filesystem::path &folder, const std::string &line) {
  const TemporaryFolder own;
  const std::filesystem::path errors = own.path() / "errors";
  const std::string command =
      fmt::format("cd '{}' && {{ {}\n}} 2>'{}'", folder.string(), line, errors.string());
  FILE *pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ran ran;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.out.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.err = get(errors);
  return ran;
}

// The program of this build, in `folder`. Tests run in the build's folder.
inline Ran switchyard(const std::filesystem::path &folder, const std::string &arguments) {
  static const std::string program =
      std::filesystem::absolute(SWITCHYARD_BINARY_DIR "/switchyard").lexically_normal().string();
  return shell(folder, fmt::format("'{}' {}", program, arguments));
}

} // namespace switchyard::test
