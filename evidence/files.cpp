#include "evidence/files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "evidence/text.hpp"

namespace switchyard::evidence {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLockPatience{60};

[[noreturn]] void fail(const fs::path &path, std::string_view what) {
  Source(path.string()).fail("", what);
}

[[noreturn]] void fail(const fs::path &path, std::string_view what, int error) {
  fail(path, fmt::format("{}: {}", what, std::generic_category().message(error)));
}

class Descriptor {
public:
  Descriptor(const fs::path &path, int flags, mode_t mode = 0)
      : value_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode)) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }

  [[nodiscard]] bool opened() const { return value_ >= 0; }
  [[nodiscard]] int get() const { return value_; }
  // Closes early and says whether it went well: some file systems report a full disk here.
  [[nodiscard]] bool close() { return ::close(std::exchange(value_, -1)) == 0; }

private:
  int value_;
};

// A file that disappears again unless it was moved to its place.
class TemporaryFile {
public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {
    // A writer that was killed may have left one; the lock says that nobody uses it.
    ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (!moved_) {
      ::unlink(path_.c_str());
    }
  }

  void write(std::string_view text) const {
    Descriptor file(path_, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (!file.opened()) {
      fail(path_, "cannot be created", errno);
    }
    while (!text.empty()) {
      const ssize_t written = ::write(file.get(), text.data(), text.size());
      if (written < 0 && errno != EINTR) {
        fail(path_, "cannot be written", errno);
      }
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    if (::fsync(file.get()) != 0 || !file.close()) {
      fail(path_, "cannot be written", errno);
    }
  }

  void move_to(const fs::path &target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      fail(target, "cannot be replaced", errno);
    }
    moved_ = true;
  }

private:
  fs::path path_;
  bool moved_ = false;
};

// Waits for the lock, though not for ever: a stopped writer must not hang a build.
void take_lock(const Descriptor &lock, const fs::path &path) {
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      fail(path, "cannot be locked", errno);
    }
    if (std::chrono::steady_clock::now() > deadline) {
      fail(path, "another program has held this profile for a minute");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void create_folders(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    fail(folder, "cannot be created", error.value());
  }
}

} // namespace

std::string read_file(const fs::path &path) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file.opened() || ::fstat(file.get(), &status) != 0) {
    fail(path, "cannot be opened", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    fail(path, "not a regular file");
  }
  const auto expected = static_cast<std::size_t>(status.st_size);
  if (expected > kMaxFileSize) {
    fail(path, fmt::format("larger than {} MB", kMaxFileSize >> 20));
  }
  std::string text(expected + 1, '\0'); // the last byte stays free unless the file has grown
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR) {
      fail(path, "cannot be read", errno);
    }
    if (got == 0) {
      text.resize(size);
      return text;
    }
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  fail(path, "is growing");
}

void replace_file(const fs::path &folder, const fs::path &relative,
                  const std::function<std::string()> &make) {
  const fs::path target = folder / relative;
  create_folders(target.parent_path());
  const fs::path lock_path = folder / ".lock";
  const Descriptor lock(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (!lock.opened()) {
    fail(lock_path, "cannot be opened", errno);
  }
  take_lock(lock, lock_path);

  const std::string text = make();
  TemporaryFile temporary(target.parent_path() /
                          fmt::format(".{}.tmp", target.filename().string()));
  temporary.write(text);
  temporary.move_to(target);
  // The rename itself is on disk only once the folder is. The file has its new text by now, so
  // that a file system that cannot do this for folders is no failure to report.
  const Descriptor parent(target.parent_path(), O_RDONLY | O_DIRECTORY);
  if (parent.opened()) {
    ::fsync(parent.get());
  }
}

} // namespace switchyard::evidence
