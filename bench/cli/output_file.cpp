#include "bench/cli/output_file.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace switchyard::cli {

OutputFile::OutputFile(std::string_view flag, const std::string &name)
    : flag_(flag), name_(name), temporary_(name + ".tmp"), stream_(temporary_) {
  if (!stream_ || std::filesystem::is_directory(name_)) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    fail();
  }
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::write(const std::string &text) {
  stream_ << text << "\n";
  stream_.close();
  std::error_code error;
  if (stream_) {
    std::filesystem::rename(temporary_, name_, error);
  }
  if (!stream_ || error) {
    fail();
  }
}

void OutputFile::fail() const {
  throw std::runtime_error(fmt::format("{} {}: cannot be written", flag_, name_));
}

} // namespace switchyard::cli
