// What verifying needs from the router, so that the harness does not depend on it and tests can
// bring routes of their own.
#pragma once

#include <string>
#include <string_view>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/route_table.hpp"

namespace switchyard::verify {

// A route by name. The texts are static.
struct NamedRoute {
  std::string_view candidate;
  int threads = 1;
  std::string_view grade;
};

class Routing {
public:
  virtual ~Routing() = default;

  // The number by which the other functions know a variant.
  [[nodiscard]] virtual int index_of(const Variant &variant) const = 0;

  // Serves the call as it is served for a caller who grants `budget` threads, lookup included.
  // `output` is into or fresh, as for the ops' own functions.
  virtual void run(int variant, const Call &call, OutputMode output, int budget) const = 0;

  // What the last run() of this thread executed; its threads are those that were used.
  [[nodiscard]] virtual NamedRoute executed() const = 0;

  // What the table says for the call, without running it; its threads are the most to use.
  [[nodiscard]] virtual NamedRoute chosen(int variant, const Call &call, OutputMode output,
                                          int budget) const = 0;

  // Name of the machine's profile.
  [[nodiscard]] virtual std::string profile() const = 0;
};

} // namespace switchyard::verify
