// From a validated call to its candidate: what every op's edge ends in.
#pragma once

#include <string_view>

#include "router/router.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// A variant of the default router, looked up by name once.
class VariantHandle {
public:
  explicit VariantHandle(std::string_view name) : index_(default_router().variant_index(name)) {}
  [[nodiscard]] int index() const { return index_; }

private:
  int index_;
};

// Looks the call up, runs the chosen candidate and notes the route for last_route(). `output` is
// into or fresh; the flag kInPlace overrides it.
void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options);

} // namespace switchyard
