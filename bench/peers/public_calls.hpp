// The public function behind each variant, as a caller of the library writes it, and what a peer in
// another process has to know of the call's parameters.
#pragma once

#include <string_view>
#include <vector>

#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard::peers {

// Calls the op's public function, validation included, on the call's own views.
using PublicCall = void(const Call &call, const Options &options);

// The numbers of a call, in the order of the op's arguments; values per channel are one list.
using Numbers = std::vector<std::vector<double>>;

struct Public {
  std::string_view variant;
  PublicCall *run = nullptr;
  Numbers (*numbers)(const Call &call) = nullptr; // nullptr: it has none
  // Whether validation reads the values of whole arrays, as that of labels does. Whoever calls a
  // candidate must have done the same.
  bool judges_values = false;
};

// nullptr: the variant has no public function here.
[[nodiscard]] const Public *find_public(std::string_view variant);

// Arrays of a call that are parameters rather than images, such as a lookup table; nullptr: none.
[[nodiscard]] const ConstView *table_of(std::string_view variant, const Call &call);

} // namespace switchyard::peers
