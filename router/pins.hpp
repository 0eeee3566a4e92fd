// Pins: candidates that are fixed by hand, in place of the table's choice.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "router/router.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard {

// The candidate of each variant, nullptr where it is free, by the order of the ops' variants; empty
// where nothing is pinned.
using Pins = std::vector<const Candidate *>;

// Reads "variant=candidate[,variant=candidate…]", the form of SWITCHYARD_PIN; an empty text pins
// nothing. Throws Error for a malformed text, an unknown variant or candidate, a candidate that is
// not in this build, and a variant that is pinned twice.
[[nodiscard]] Pins parse_pins(std::string_view text, std::span<const OpTable *const> ops);

// The candidate on `threads` threads, with the grade pinned. Throws Error that names `argument`
// where the candidate refuses the call or is less exact than `exactness`.
[[nodiscard]] Decision apply_pin(const Variant &variant, const Candidate &candidate,
                                 std::string_view argument, const Call &call, int threads,
                                 Exactness exactness);

// The candidate of this id. Throws Error that names `argument` and the candidates in this build.
[[nodiscard]] const Candidate &pinned_candidate(const Variant &variant, std::string_view id,
                                                std::string_view argument);

// Text from outside as it appears in a message: one line of printable characters, not too long.
[[nodiscard]] std::string shown(std::string_view text);

} // namespace switchyard
