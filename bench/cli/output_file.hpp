// Files that commands write.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace switchyard::cli {

// A file that gets its name only once it is whole. It is opened before minutes are spent on what
// is to be written to it. Throws std::runtime_error that names the flag where it can't be written.
class OutputFile {
public:
  OutputFile(std::string_view flag, const std::string &name);
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  ~OutputFile();

  // Once. The text ends with a newline of the file's own.
  void write(const std::string &text);

private:
  [[noreturn]] void fail() const;

  std::string flag_;
  std::string name_;
  std::string temporary_;
  std::ofstream stream_;
};

} // namespace switchyard::cli
