#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/fp_environment.hpp"
#include "router/machine.hpp"
#include "router/split.hpp"

namespace switchyard {
namespace {

thread_local RouteInfo t_last_route;

RouteKey key_of(const Call &call, OutputMode output, const Options &options) {
  RouteKey key;
  key.channels = call.in[0]->channels();
  key.elements = call.in[0]->elements();
  key.output = (call.flags & kInPlace) != 0 ? OutputMode::in_place : output;
  key.threads = std::max(options.threads, 1);
  key.exactness = options.exactness;
  for (const ConstView *view : call.in) {
    key.layout = view != nullptr ? std::max(key.layout, layout_of(*view)) : key.layout;
  }
  for (const View *view : call.out) {
    key.layout = view != nullptr ? std::max(key.layout, layout_of(*view)) : key.layout;
  }
  return key;
}

} // namespace

const Router &default_router() {
  static const Router router(candidates::ops(), compiled_routes(), machine_profile());
  return router;
}

RouteInfo last_route() noexcept {
  return t_last_route;
}

void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options) {
  const Router &router = default_router();
  const Decision decision = router.decide(variant.index(), call, key_of(call, output, options));
  int used = 1;
  if (decision.threads > 1) {
    used = run_split(*decision.candidate, call, decision.threads);
  } else {
    const DefaultFpEnvironment environment;
    decision.candidate->run(call);
  }
  t_last_route = {router.variant(variant.index()).name, decision.candidate->id, decision.grade,
                  used};
}

} // namespace switchyard
