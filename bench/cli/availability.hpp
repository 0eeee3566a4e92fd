// Why a candidate is not in this build.
#pragma once

#include <string>

#include "switchyard/core/candidate.hpp"

namespace switchyard::cli {

// "not in this build: configure with -D…=ON"; empty for one that is in it.
[[nodiscard]] std::string why_not_built(const Candidate &candidate);

} // namespace switchyard::cli
