// What times depend on besides cell and candidate, and when they no longer hold.
#pragma once

#include <string>
#include <string_view>

#include "evidence/evidence.hpp"

namespace switchyard::evidence {

// The context of rows measured on `machine` for candidates of `backend`, from the machine's facts:
// groups cpu, system, compiler, harness, and the backend's entries in libraries, capabilities and
// library_threads. An empty backend is that of limit rows, which no library serves. Facts that are
// missing read "unknown".
[[nodiscard]] Context context_of(const Machine &machine, std::string_view backend,
                                 Quality quality = Quality::good);

} // namespace switchyard::evidence
