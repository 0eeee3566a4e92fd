// A comparison with peers as JSON, as text of 80 columns, and as Markdown.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bench/peers/peers.hpp"

namespace switchyard::peers {

using Versions = std::map<std::string, std::string, std::less<>>; // by peer

// {"peers": {"opencv": {"version", "cells", "undecided_cells", "families": {"pointwise": {"cells",
// "geomean_speedup", "weighted_speedup", "min_speedup"}, …}, "ops": {"add": {…}, …},
// "slower_cells": [{"variant", "cell", "speedup", "low", "high"}, …]}, …}, "cells", "left_out",
// "missing": ["variant dtype", …], "wrong"}. Numbers have four significant digits.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison &comparison,
                                             const Versions &versions);

// Every cell: {"peer", "variant", "cell", "expression", "speedup", "low", "high", "routed_ns",
// "peer_ns", "rounds"}.
[[nodiscard]] nlohmann::ordered_json details_json(const Comparison &comparison);

[[nodiscard]] std::string to_text(const Comparison &comparison, const Versions &versions);
[[nodiscard]] std::string to_markdown(const Comparison &comparison, const Versions &versions);

// The frozen expressions, as a table of Markdown: variant, peer, expression.
[[nodiscard]] std::string expressions_markdown(std::span<const Peer> peers);

} // namespace switchyard::peers
