#include "bench/against/process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace switchyard::against {
namespace {

// What a child's descriptors 0, 1 and 2 become.
class Redirections {
public:
  Redirections() {
    posix_spawn_file_actions_init(&actions_);
    open(STDIN_FILENO, "/dev/null", O_RDONLY);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections &) = delete;
  Redirections &operator=(const Redirections &) = delete;

  void open(int descriptor, const char *file, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, file, flags, 0666);
  }
  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  [[nodiscard]] const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

pid_t start(const std::vector<std::string> &command, const Redirections &redirections) {
  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string &argument : command) {
    arguments.push_back(const_cast<char *>(argument.c_str())); // the callee does not write there
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], redirections.get(), nullptr, arguments.data(), environ);
  if (error != 0) {
    throw std::runtime_error(command.front() + ": cannot be run: " + std::strerror(error));
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return text;
    }
  }
}

} // namespace

Finished run(const std::vector<std::string> &command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  Redirections redirections;
  redirections.duplicate(ends[1], STDOUT_FILENO);
  redirections.open(STDERR_FILENO, "/dev/null", O_WRONLY);
  Finished finished;
  try {
    const pid_t child = start(command, redirections);
    close(ends[1]); // else the pipe would never end
    finished.output = read_all(ends[0]);
    finished.status = wait_for(child);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[0]);
  return finished;
}

int run_logged(const std::vector<std::string> &command, const std::filesystem::path &log) {
  Redirections redirections;
  redirections.open(STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  redirections.duplicate(STDOUT_FILENO, STDERR_FILENO);
  return wait_for(start(command, redirections));
}

} // namespace switchyard::against
