// What times depend on besides cell and candidate, and when they no longer hold.
#pragma once

#include <optional>
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

// Why a row measured in context `then` tells nothing certain about the present, as one phrase:
// "version was 1, is 2", "harness was 1, is 2", "library of opencv was 4.6.0; …, is 4.8.0; …";
// nullopt where it still holds. Of several causes it names the first of version, harness, machine,
// compiler and library. Quality is no cause: a noisy row is not old. `version_now` is that of the
// row's candidate; for a row of no candidate, such as a limit, pass the row's own.
[[nodiscard]] std::optional<std::string> stale_reason(const Row &row, const Context &then,
                                                      const Context &now, int version_now);

} // namespace switchyard::evidence
