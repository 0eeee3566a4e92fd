#include "router/dispatch.hpp"

#include <algorithm>

#include "candidates/registry.hpp"
#include "router/split.hpp"

namespace switchyard {

thread_local constinit LookupMemo detail::t_memo;
thread_local constinit const LastRoute *detail::t_last_route = nullptr;

namespace {

using detail::t_last_route;
using detail::t_memo;

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

LookupMemo::Asker asker_of(const Serving &now, int index, const Call &call) {
  return {&now, index, class_of(now.router.variant(index).kinds, call)};
}

void remember(const Serving &now, const LookupMemo::Asker &asker, const Call &call,
              OutputMode output, const Options &options, const Router::Found &found) {
  LookupMemo::Entry &entry = t_memo.at(asker.variant, call);
  if (t_last_route == &entry.route) {
    note_route(entry.route);
  }
  LastRoute first;
  const Variant &variant = now.router.variant(asker.variant);
  // The short way of repeated calls asks for no class.
  if (found.count != 0 && variant.kinds.class_of == nullptr) {
    const Router::Alternative &alternative = now.router.alternative(found.first);
    first = {&variant, alternative.candidate, found.grade, alternative.threads};
  }
  LookupMemo::keep(entry, asker, call, output, options, found, first);
}

Decision decide_anew(const Serving &now, int index, const Call &call, OutputMode output,
                     const Options &options) {
  std::string_view source;
  if (const Candidate *pin = pin_of(now, index, options, source)) {
    return apply_pin(now.router.variant(index), *pin, source, call, options.threads,
                     options.exactness);
  }
  const RouteKey key =
      key_of(now.router.variant(index).kinds, call, output, options.threads, options.exactness);
  const Router::Found found = now.router.find(index, call.dtype_case, key);
  if (now.pins.empty() && LookupMemo::can_know(call)) {
    remember(now, {&now, index, key.op_class}, call, output, options, found);
  }
  return now.router.choose(index, call, key.threads, key.exactness, found);
}

// While there are pins, nothing is kept of what was found.
inline Decision decide(const Serving &now, int index, const Call &call, OutputMode output,
                       const Options &options) {
  if (options.candidate.empty()) {
    if (const auto *known = t_memo.find(asker_of(now, index, call), call, output, options)) {
      return now.router.choose(index, call, options.threads, options.exactness, known->found);
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
  if (t_last_route == nullptr) {
    return {};
  }
  const LastRoute &last = *t_last_route;
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
  note_route({&now.router.variant(handle.index()), decision.candidate, decision.grade, 1});
}

void detail::dispatch_anew(const VariantHandle &handle, const Call &call, OutputMode output,
                           const Options &options, bool checked) {
  const Serving &now = switchyard::serving();
  const Decision decision = decide(now, handle.index(), call, output, options);
  if (checked) {
    if (auto *known = t_memo.find(asker_of(now, handle.index(), call), call, output, options)) {
      known->note_checked(call);
    }
  }
  int used = 1;
  if (decision.threads > 1) {
    used = run_split(*decision.candidate, call, decision.threads);
  } else {
    run_here(*decision.candidate, call);
  }
  note_route({&now.router.variant(handle.index()), decision.candidate, decision.grade, used});
}

} // namespace switchyard
