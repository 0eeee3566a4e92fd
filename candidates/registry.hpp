// Every op's table of candidates, and the backends that they come from.
#pragma once

#include <span>

#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates {

// In a fixed order; each op's folder defines its table().
[[nodiscard]] std::span<const OpTable *const> ops();

[[nodiscard]] std::span<const BackendInfo> backends();

// The variant of this name, or nullptr.
[[nodiscard]] const Variant *find_variant(std::string_view name);

} // namespace switchyard::candidates
