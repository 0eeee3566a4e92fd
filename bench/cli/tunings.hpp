// Profiles with the routes in force, as comparisons read them.
#pragma once

#include <map>
#include <string>

#include "bench/cli/profiles.hpp"
#include "tablegen/diff.hpp"

namespace switchyard::cli {

using Tunings = std::map<std::string, tablegen::Tuning>; // by profile

// Throws std::runtime_error of one line for what cannot be read, and for two folders of one name.
[[nodiscard]] Tunings read_tunings(const ProfileSource &source);

} // namespace switchyard::cli
