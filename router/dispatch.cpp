#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/fp_environment.hpp"
#include "router/serving.hpp"
#include "router/split.hpp"

namespace switchyard {
namespace {

// The parts of a RouteInfo, whose names are only wanted where somebody asks.
struct LastRoute {
  const Variant *variant = nullptr;
  const Candidate *candidate = nullptr;
  Grade grade = Grade::default_order;
  int threads = 0;
};
thread_local constinit LastRoute t_last_route;

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
  return now.router.decide(index, call, key_of(call, output, options.threads, options.exactness));
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
  const LastRoute &last = t_last_route;
  if (last.variant == nullptr) {
    return {};
  }
  return {last.variant->name, last.candidate->id, last.grade, last.threads};
}

Decision decide_for(const VariantHandle &handle, const Call &call, OutputMode output,
                    const Options &options) {
  return decide(serving(), handle.index(), call, output, options);
}

void dispatch_nothing(const VariantHandle &handle, const Call &call, OutputMode output,
                      const Options &options) {
  const Serving &now = serving();
  const Decision decision = decide(now, handle.index(), call, output, options);
  t_last_route = {&now.router.variant(handle.index()), decision.candidate, decision.grade, 1};
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
  t_last_route = {&now.router.variant(handle.index()), decision.candidate, decision.grade, used};
}

} // namespace switchyard
