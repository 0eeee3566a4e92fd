// What serves the calls of this process: a router with its pins, replaced as a whole.
//
// It comes into being with the first routed call, from the compiled tables and the environment:
// SWITCHYARD_PROFILE, SWITCHYARD_ROUTES and SWITCHYARD_PIN are read once, then.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "router/pins.hpp"
#include "router/router.hpp"
#include "router/routes_file.hpp"

namespace switchyard {

struct Serving {
  Router router;
  Pins pins;
  std::shared_ptr<const RoutesFile> file; // nullptr: the compiled tables alone
  const Serving *previous;                // never freed: calls that began with it may still read it
};

namespace detail {
extern std::atomic<const Serving *> serving;
const Serving &start_serving();
} // namespace detail

// Throws Error for an environment that names an unknown profile, variant or candidate; so does
// every later call, until the environment is right.
[[nodiscard]] inline const Serving &serving() {
  const Serving *now = detail::serving.load(std::memory_order_acquire);
  return now != nullptr ? *now : detail::start_serving();
}

} // namespace switchyard
