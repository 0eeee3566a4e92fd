// The contracts of reductions: what is asked for × which axes are reduced.
#pragma once

#include <array>
#include <string_view>

#include "candidates/reduction/params.hpp"
#include "switchyard/core/contract.hpp"

namespace switchyard::oracle {

// Of the variants that reduce everything, all but C, all but X, and any axes, in this order.
[[nodiscard]] std::array<VariantContract, 4>
reductions(candidates::reduction::Asked asked, const std::array<std::string_view, 4> &variants);

} // namespace switchyard::oracle
