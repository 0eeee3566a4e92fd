// Public calls by every candidate of a variant.
#pragma once

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "switchyard/core/error.hpp"
#include "switchyard/options.hpp"

namespace switchyard::test {

// Calls each(options) for every candidate of the variant that takes the call; returns how many did.
template <class Each>
int with_every_candidate(std::string_view variant, Each &&each, const Options &given = {}) {
  int ran = 0;
  for (const std::string_view candidate : candidates_of(variant)) {
    Options options = given;
    options.candidate = candidate;
    INFO("candidate " << std::string(candidate));
    try {
      each(options);
      ++ran;
    } catch (const Error &error) {
      REQUIRE(error.argument() == "candidate"); // refused, not wrong
    }
  }
  return ran;
}

} // namespace switchyard::test
