// From a validated call to its candidate: what every op's edge ends in.
#pragma once

#include <string_view>

#include "router/router.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// A variant of the default router, looked up by name once. It stays valid when routes are loaded:
// every router of the process is built from the same ops.
class VariantHandle {
public:
  explicit VariantHandle(std::string_view name) : index_(default_router().variant_index(name)) {}
  [[nodiscard]] int index() const { return index_; }

private:
  int index_;
};

// What dispatch() would run for this call: the pin where there is one, else the table's choice.
// Runs nothing and leaves no trace, so that a tool can compare it with last_route(). Throws Error
// where a pin does not apply. `output` is into or fresh; the flag kInPlace overrides it.
[[nodiscard]] Decision decide_for(const VariantHandle &variant, const Call &call, OutputMode output,
                                  const Options &options);

// The route that dispatch() would take, with its errors and as last_route(), for a call whose
// result is there already.
void dispatch_nothing(const VariantHandle &handle, const Call &call, OutputMode output,
                      const Options &options);

// Looks the call up, runs the chosen candidate and notes the route for last_route(). `output` as
// for decide_for().
void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options);

} // namespace switchyard
