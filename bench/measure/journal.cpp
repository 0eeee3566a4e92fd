#include "bench/measure/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace switchyard::measure {
namespace {

namespace fs = std::filesystem;
using evidence::EvidenceError;

constexpr std::string_view kFirst = "campaign 1"; // the format's version
constexpr std::string_view kMerged = "merged";
constexpr off_t kMaxSize = off_t{64} << 20;

[[noreturn]] void fail(const fs::path &path, std::string_view what) {
  throw EvidenceError(fmt::format("{}: {}", path.string(), what));
}

[[noreturn]] void fail(const fs::path &path, std::string_view what, int error) {
  fail(path, fmt::format("{}: {}", what, std::generic_category().message(error)));
}

fs::path path_in(const fs::path &folder) {
  return folder / ".campaign";
}

// Takes the text up to the next `separator` off `rest`.
std::string_view take(std::string_view &rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

Request parse_request(std::string_view fields) {
  Request request;
  while (!fields.empty()) {
    std::string_view value = take(fields, '\t');
    const std::string_view name = take(value, '=');
    request.emplace(name, value);
  }
  return request;
}

// "cell", name, "cells" or "rows", evidence.
DoneCell parse_cell(std::string_view fields, const std::string &name) {
  DoneCell cell;
  cell.name = take(fields, '\t');
  const std::string_view how = take(fields, '\t');
  if (how != "cells" && how != "rows") {
    throw EvidenceError(name + ": no line of a campaign's journal");
  }
  cell.how = how == "rows" ? evidence::Merge::rows : evidence::Merge::cells;
  cell.evidence = evidence::parse_variant(fields, name);
  return cell;
}

void parse_line(std::string_view line, const std::string &name, JournalContents &contents) {
  std::string_view fields = line;
  const std::string_view kind = take(fields, '\t');
  if (contents.request.empty()) {
    if (kind != kFirst) {
      throw EvidenceError(name + ": no journal of a campaign that this program knows");
    }
    contents.request = parse_request(fields);
  } else if (kind == kMerged) {
    contents.unmerged.clear();
  } else if (kind == "cell") {
    DoneCell cell = parse_cell(fields, name);
    contents.done.insert(cell.name);
    contents.unmerged.push_back(std::move(cell));
  } else {
    throw EvidenceError(name + ": no line of a campaign's journal");
  }
}

std::string read_all(const fs::path &path, int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) {
    fail(path, "cannot be read", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    fail(path, "not a regular file");
  }
  if (status.st_size > kMaxSize) {
    fail(path, fmt::format("larger than {} MB", kMaxSize >> 20));
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        ::pread(file, text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno != EINTR) {
      fail(path, "cannot be read", errno);
    }
    if (got == 0) {
      break;
    }
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  text.resize(size);
  return text;
}

// Whether the path still names the open file: its former owner may have removed it.
bool names(const fs::path &path, int file) {
  struct stat here {};
  struct stat there {};
  return ::fstat(file, &here) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

} // namespace

JournalContents parse_journal(std::string_view text, const std::string &name) {
  JournalContents contents;
  for (int number = 1;; ++number) {
    const std::size_t end = text.find('\n', contents.size);
    if (end == std::string_view::npos) {
      return contents; // what follows is a torn line
    }
    parse_line(text.substr(contents.size, end - contents.size),
               fmt::format("{}: line {}", name, number), contents);
    contents.size = end + 1;
  }
}

std::optional<Request> interrupted_request(const fs::path &folder) {
  const fs::path path = path_in(folder);
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    fail(path, "cannot be opened", errno);
  }
  std::string text;
  try {
    text = read_all(path, file);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
  Request request = parse_journal(text, path.string()).request;
  return request.empty() ? std::nullopt : std::optional(std::move(request));
}

std::unique_ptr<Journal> Journal::open(const fs::path &folder) {
  const fs::path path = path_in(folder);
  for (;;) {
    const int file =
        ::open(path.c_str(),
               O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_APPEND | O_NOCTTY, 0644);
    if (file < 0) {
      fail(path, "cannot be opened", errno);
    }
    std::unique_ptr<Journal> journal(new Journal(path, file)); // closes it
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        return nullptr;
      }
      fail(path, "cannot be locked", errno);
    }
    if (names(path, file)) {
      journal->contents_ = parse_journal(read_all(path, file), path.string());
      // A torn line would spoil the next one.
      if (::ftruncate(file, static_cast<off_t>(journal->contents_.size)) != 0) {
        fail(path, "cannot be written", errno);
      }
      return journal;
    }
  }
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::begin(const Request &request) {
  if (::ftruncate(file_, 0) != 0) {
    fail(path_, "cannot be written", errno);
  }
  std::string line(kFirst);
  for (const auto &[name, value] : request) {
    line += fmt::format("\t{}={}", name, value);
  }
  write_line(std::move(line));
}

void Journal::append(const DoneCell &cell) {
  std::string text = evidence::to_json(cell.evidence);
  std::replace(text.begin(), text.end(), '\n', ' '); // strings have theirs escaped
  write_line(fmt::format("cell\t{}\t{}\t{}", cell.name,
                         cell.how == evidence::Merge::rows ? "rows" : "cells", text));
}

void Journal::mark_merged() {
  write_line(std::string(kMerged));
}

void Journal::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
    fail(path_, "cannot be removed", errno);
  }
}

void Journal::write_line(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      fail(path_, "cannot be written", errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

} // namespace switchyard::measure
