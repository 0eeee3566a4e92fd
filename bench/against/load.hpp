// Taking over the candidates of a module.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bench/against/module.hpp"

namespace switchyard::against {

// Loads a module for the rest of this process's life: its candidates are in use from then on, and
// the libraries behind them cannot be unloaded. Its symbols stay its own. Throws AgainstError where
// the file is no module, or one whose calls are laid out differently from this program's; `name`
// is the revision's, for the message.
[[nodiscard]] const ModuleTable &load_module(const std::filesystem::path &file,
                                             const std::string &name);

// The first fact of two layout texts that differs: "Call.flags is 40+4 here, 48+4 there"; empty
// where they agree.
[[nodiscard]] std::string layout_difference(std::string_view here, std::string_view there);

} // namespace switchyard::against
