#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/fp_environment.hpp"
#include "router/memo.hpp"
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
thread_local constinit LookupMemo t_memo;

// Of a call that somebody has pinned, or of one that is not; nullptr where the table decides.
const Candidate *pin_of(const Serving &now, int index, const Options &options,
                        std::string_view &source) {
  if (!options.candidate.empty()) {
    source = "candidate";
    return &pinned_candidate(now.router.variant(index), options.candidate, source);
  }
  source = "SWITCHYARD_PIN";
  return now.pins.empty() ? nullptr : now.pins[static_cast<std::size_t>(index)];
}

[[gnu::noinline]] Decision decide_anew(const Serving &now, int index, const Call &call,
                                       OutputMode output, const Options &options) {
  std::string_view source;
  if (const Candidate *pin = pin_of(now, index, options, source)) {
    return apply_pin(now.router.variant(index), *pin, source, call, options.threads,
                     options.exactness);
  }
  const RouteKey key =
      key_of(now.router.variant(index).kinds, call, output, options.threads, options.exactness);
  const Router::Found found = now.router.find(index, call.dtype_case, key);
  if (now.pins.empty()) {
    t_memo.keep({&now, index, key.op_class}, call, output, options, found);
  }
  return now.router.choose(index, call, key.threads, key.exactness, found);
}

inline LookupMemo::Asker asker_of(const Serving &now, int index, const Call &call) {
  return {&now, index, class_of(now.router.variant(index).kinds, call)};
}

// While there are pins, nothing is kept of what was found.
inline Decision decide(const Serving &now, int index, const Call &call, OutputMode output,
                       const Options &options) {
  if (options.candidate.empty()) {
    if (const Router::Found *found =
            t_memo.find(asker_of(now, index, call), call, output, options)) {
      return now.router.choose(index, call, options.threads, options.exactness, *found);
    }
  }
  return decide_anew(now, index, call, output, options);
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
