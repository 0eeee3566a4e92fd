// Files that may be hostile to read and must not be lost when written. Internal to evidence/.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace switchyard::evidence {

inline constexpr std::size_t kMaxFileSize = std::size_t{64} << 20;

// The whole of a regular file of at most kMaxFileSize bytes. Never blocks on a pipe or device.
// Throws EvidenceError.
[[nodiscard]] std::string read_file(const std::filesystem::path &file);

// Replaces `folder`/`relative` with the text that `make` returns, so that a reader, or a crash at
// any moment, sees the old file or the new one. Writers of one folder take turns through a lock on
// `folder`/.lock; folders are created as needed. `make` runs while the lock is held, so that what
// it reads of the old file is still there when it is replaced. Throws EvidenceError, or what `make`
// throws, and leaves the old file as it was.
void replace_file(const std::filesystem::path &folder, const std::filesystem::path &relative,
                  const std::function<std::string()> &make);

} // namespace switchyard::evidence
