// Every op's contract, for tests and measuring.
#pragma once

#include <span>

#include "switchyard/core/contract.hpp"

namespace switchyard::candidates {

[[nodiscard]] std::span<const OpContract *const> contracts();

// The contract of this variant, or nullptr.
[[nodiscard]] const VariantContract *find_contract(std::string_view variant);

} // namespace switchyard::candidates
