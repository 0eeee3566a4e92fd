#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/split.hpp"

namespace switchyard {

thread_local constinit CallMemo detail::t_memo;
thread_local constinit const LastRoute *detail::t_last_route = nullptr;

namespace {

using detail::t_last_route;

// The last route where it is none that the memo has.
thread_local constinit LastRoute t_own_route;

void note_route(const LastRoute &route) {
  t_own_route = route;
  t_last_route = &t_own_route;
}

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

// `can_repeat`: whether the decision follows from what a memo compares, but for the domain of the
// candidate itself.
Decision decide(const Serving &now, int index, const Call &call, OutputMode output,
                const Options &options, bool &can_repeat) {
  std::string_view source;
  if (const Candidate *pin = pin_of(now, index, options, source)) {
    can_repeat = false;
    return apply_pin(now.router.variant(index), *pin, source, call, options.threads,
                     options.exactness);
  }
  const RouteKey key =
      key_of(now.router.variant(index).kinds, call, output, options.threads, options.exactness);
  const Router::Found found = now.router.find(index, call.dtype_case, key);
  const Decision decision = now.router.choose(index, call, key.threads, key.exactness, found);
  can_repeat = now.pins.empty() && decision.threads == 1 &&
               now.router.is_settled(found, *decision.candidate);
  return decision;
}

} // namespace

int VariantHandle::index() const {
  int index = known_index();
  if (index < 0) {
    index = default_router().variant_index(name_);
    index_.store(index, std::memory_order_relaxed);
  }
  return index;
}

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
  if (t_last_route == nullptr) {
    return {};
  }
  const LastRoute &last = *t_last_route;
  return {last.variant->name, last.candidate->id, last.grade, last.threads};
}

Decision decide_for(const VariantHandle &handle, const Call &call, OutputMode output,
                    const Options &options) {
  bool can_repeat = false;
  return decide(serving(), handle.index(), call, output, options, can_repeat);
}

void dispatch_nothing(const VariantHandle &handle, const Call &call, OutputMode output,
                      const Options &options) {
  const Decision decision = decide_for(handle, call, output, options);
  note_route({&serving().router.variant(handle.index()), decision.candidate, decision.grade, 1});
}

void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options) {
  detail::Dispatching(variant, call, output, options).run();
}

namespace detail {

Dispatching::Dispatching(const VariantHandle &variant, const Call &call, OutputMode output,
                         const Options &options)
    : now_(switchyard::serving()), variant_(now_.router.variant(variant.index())), call_(call),
      decision_(decide(now_, variant.index(), call, output, options, can_repeat_)) {}

void Dispatching::fill(Known &entry, std::uint8_t note) const {
  if (t_last_route == &entry.route) {
    note_route(entry.route);
  }
  const Candidate &candidate = *decision_.candidate;
  entry.run = candidate.run;
  entry.domain = candidate.domain_by_geometry ? nullptr : candidate.domain;
  entry.flags = call_.flags;
  entry.dtype_case = call_.dtype_case;
  entry.note = note;
  entry.route = {&variant_, &candidate, decision_.grade, 1};
}

void Dispatching::run() const {
  int used = 1;
  if (decision_.threads > 1) {
    used = run_split(*decision_.candidate, call_, decision_.threads);
  } else {
    run_here(decision_.candidate->run, call_);
  }
  note_route({&variant_, decision_.candidate, decision_.grade, used});
}

void run_in_default_environment(Run *run, const Call &call) {
  const DefaultFpEnvironment environment;
  run(call);
}

} // namespace detail

} // namespace switchyard
