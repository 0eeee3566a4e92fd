// From a validated call to its candidate: what every op's edge ends in.
#pragma once

#include <string_view>

#include "router/fp_environment.hpp"
#include "router/memo.hpp"
#include "router/router.hpp"
#include "router/serving.hpp"
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

namespace detail {

extern thread_local constinit LookupMemo t_memo;
// Of the last call of this thread; nullptr: it has made none.
extern thread_local constinit const LastRoute *t_last_route;

void dispatch_anew(const VariantHandle &handle, const Call &call, OutputMode output,
                   const Options &options, bool checked);

// Runs the candidate, on this thread, in the default floating-point environment.
inline void run_here(const Candidate &candidate, const Call &call) {
  if (DefaultFpEnvironment::is_there()) [[likely]] {
    return candidate.run(call);
  }
  const DefaultFpEnvironment environment;
  candidate.run(call);
}

// Runs the call if it is one that this thread remembers, for one thread, and `passes`, which gets
// what is remembered, agrees; else returns false. The call has kInputs inputs and one output. What
// is remembered of variants with classes of their own is never for one thread.
template <int kInputs, class Passes>
inline bool dispatch_known(const VariantHandle &handle, const Call &call, OutputMode output,
                           const Options &options, const Passes &passes) {
  const Serving *const now = serving.load(std::memory_order_acquire);
  LookupMemo::Entry *at = &t_memo.at(handle.index(), call);
  asm("" : "+r"(at)); // a thread's address is found once, not at every use
  const LookupMemo::Entry &entry = *at;
  if (!options.candidate.empty() || entry.route.threads != 1 ||
      !entry.is_of<kInputs>({now, handle.index(), 0}, call, output, options) || !passes(entry))
      [[unlikely]] {
    return false;
  }
  const Candidate &candidate = *entry.route.candidate;
  if (candidate.domain != nullptr && candidate.domain(call) != nullptr) [[unlikely]] {
    return false;
  }
  t_last_route = &entry.route;
  run_here(candidate, call);
  return true;
}

} // namespace detail

// Looks the call up, runs the chosen candidate and notes the route for last_route(). `output` as
// for decide_for().
inline void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
                     const Options &options) {
  detail::dispatch_anew(variant, call, output, options, false);
}

// The same, with fewer instructions where the call repeats an earlier one, for calls of one output
// and kInputs inputs, one or two.
template <int kInputs>
inline void dispatch_repeated(const VariantHandle &variant, const Call &call, OutputMode output,
                              const Options &options) {
  const auto any = [](const LookupMemo::Entry &) { return true; };
  if (!detail::dispatch_known<kInputs>(variant, call, output, options, any)) [[unlikely]] {
    dispatch(variant, call, output, options);
  }
}

// For a call whose validation has passed, of which this thread takes note.
inline void dispatch_checked(const VariantHandle &variant, const Call &call, OutputMode output,
                             const Options &options) {
  detail::dispatch_anew(variant, call, output, options, true);
}

// For a call that is not validated, if nothing needs to be but its parameters: calls that differ
// from it in these and in addresses have been validated, and its addresses are good. Else it does
// nothing and returns false. `check` is asked before the call is run; it may throw.
template <int kInputs, class Check>
[[nodiscard]] inline bool dispatch_if_checked(const VariantHandle &variant, const Call &call,
                                              OutputMode output, const Options &options,
                                              const Check &check) {
  return detail::dispatch_known<kInputs>(
      variant, call, output, options,
      [&](const LookupMemo::Entry &entry) { return entry.was_checked<kInputs>(call) && check(); });
}

} // namespace switchyard
