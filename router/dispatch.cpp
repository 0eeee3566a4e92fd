#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/fp_environment.hpp"
#include "router/serving.hpp"
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

Decision decide(const Serving &now, int index, const Call &call, OutputMode output,
                const Options &options) {
  if (!options.candidate.empty()) {
    const Variant &variant = now.router.variant(index);
    const Candidate &candidate = pinned_candidate(variant, options.candidate, "candidate");
    return apply_pin(variant, candidate, "candidate", call, options.threads, options.exactness);
  }
  if (!now.pins.empty()) {
    if (const Candidate *candidate = now.pins[static_cast<std::size_t>(index)]) {
      return apply_pin(now.router.variant(index), *candidate, "SWITCHYARD_PIN", call,
                       options.threads, options.exactness);
    }
  }
  return now.router.decide(index, call, key_of(call, output, options));
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

RouteInfo last_route() noexcept {
  return t_last_route;
}

Decision decide_for(const VariantHandle &handle, const Call &call, OutputMode output,
                    const Options &options) {
  return decide(serving(), handle.index(), call, output, options);
}

void dispatch(const VariantHandle &handle, const Call &call, OutputMode output,
              const Options &options) {
  const Serving &now = serving();
  const Decision decision = decide(now, handle.index(), call, output, options);
  int used = 1;
  if (decision.threads > 1) {
    used = run_split(*decision.candidate, call, decision.threads);
  } else {
    const DefaultFpEnvironment environment;
    decision.candidate->run(call);
  }
  t_last_route = {now.router.variant(handle.index()).name, decision.candidate->id, decision.grade,
                  used};
}

} // namespace switchyard
