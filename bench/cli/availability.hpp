// Why a candidate is not in this build.
#pragma once

#include <string>

#include "switchyard/core/candidate.hpp"

namespace switchyard::cli {

// "not in this build: configure with -D…=ON"; empty for one that is in it.
[[nodiscard]] std::string why_not_built(const Candidate &candidate);

// The same; besides "computes none of the variant's dtypes". Empty for one that may be routed.
[[nodiscard]] std::string why_not_available(const Variant &variant, const Candidate &candidate);

} // namespace switchyard::cli
