#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/fp_environment.hpp"
#include "router/machine.hpp"
#include "router/split.hpp"
#include "switchyard/core/error.hpp"

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

// Where a pin cannot apply, the error says what could.
[[noreturn]] void refuse_pin(const Variant &variant, std::string_view id, std::string_view why) {
  std::string built;
  for (const std::string_view candidate : candidates_of(variant.name)) {
    built += built.empty() ? "" : ", ";
    built += candidate;
  }
  throw Error(variant.name, "candidate", std::string(id) + " (" + std::string(why) + ")", built);
}

Decision pinned(const Variant &variant, const Call &call, const Options &options) {
  for (const Candidate &candidate : variant.candidates) {
    if (candidate.id != options.candidate) {
      continue;
    }
    if (const char *reason = candidate.refuses(call)) {
      refuse_pin(variant, options.candidate, reason);
    }
    if (candidate.exactness[call.dtype_case] < options.exactness) {
      refuse_pin(variant, options.candidate, "not bitwise");
    }
    return {&candidate, options.threads, Grade::pinned};
  }
  refuse_pin(variant, options.candidate, "unknown");
}

} // namespace

std::vector<std::string_view> candidates_of(std::string_view name) {
  std::vector<std::string_view> ids;
  if (const Variant *variant = candidates::find_variant(name)) {
    for (const Candidate &candidate : variant->candidates) {
      if (candidate.built()) {
        ids.push_back(candidate.id);
      }
    }
  }
  return ids;
}

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
  const Decision decision =
      options.candidate.empty()
          ? router.decide(variant.index(), call, key_of(call, output, options))
          : pinned(router.variant(variant.index()), call, options);
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
