// From a validated call to its candidate: what every op's edge ends in.
#pragma once

#include <atomic>
#include <string_view>

#include "router/fp_environment.hpp"
#include "router/memo.hpp"
#include "router/router.hpp"
#include "router/serving.hpp"
#include "switchyard/core/candidate.hpp"
#include "switchyard/options.hpp"

namespace switchyard {

// A variant of the default router, by its name, which is looked up once. It stays valid when routes
// are loaded: every router of the process is built from the same ops.
class VariantHandle {
public:
  constexpr explicit VariantHandle(std::string_view name) : name_(name) {}
  VariantHandle(const VariantHandle &other) : name_(other.name_), index_(other.known_index()) {}
  VariantHandle &operator=(const VariantHandle &) = delete;

  // Throws std::out_of_range for a name that is not registered, Error as serving() does.
  [[nodiscard]] int index() const;
  // -1 where nobody has asked for the index yet.
  [[nodiscard]] int known_index() const { return index_.load(std::memory_order_relaxed); }

private:
  std::string_view name_;
  mutable std::atomic<int> index_{-1};
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

// Looks the call up, runs the chosen candidate and notes the route for last_route(). `output` as
// for decide_for().
void dispatch(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options);

// ---- calls that repeat earlier ones -------------------------------------------------------------

using Known = CallMemo::Entry;

namespace detail {

extern thread_local constinit CallMemo t_memo;
// Of the last call of this thread; nullptr: it has made none.
extern thread_local constinit const LastRoute *t_last_route;

// The way of a call that is like no earlier one.
class Dispatching {
public:
  Dispatching(const VariantHandle &variant, const Call &call, OutputMode output,
              const Options &options);
  [[nodiscard]] const Serving *serving() const { return &now_; }
  // Whether calls like this one go to the same candidate, if it accepts them.
  [[nodiscard]] bool can_repeat() const { return can_repeat_; }
  void fill(Known &entry, std::uint8_t note) const; // all but what calls are compared by
  void run() const;

private:
  const Serving &now_;
  const Variant &variant_;
  const Call &call_;
  bool can_repeat_ = false;
  Decision decision_; // sets can_repeat_
};

void run_in_default_environment(Run *run, const Call &call);

// Runs it, on this thread, in the default floating-point environment.
inline void run_here(Run *run, const Call &call) {
  if (DefaultFpEnvironment::is_there()) [[likely]] {
    return run(call);
  }
  run_in_default_environment(run, call);
}

} // namespace detail

// A call as the public edge has it, and whether this thread has made one like it. kOutputs is 0 for
// forms that allocate. See CallMemo::Asked for `facts` and for which handle may stand for a
// variant.
template <int kInputs, int kOutputs = 1> class Repeat {
public:
  using Views = std::array<const ConstView *, kInputs + kOutputs>;

  Repeat(const VariantHandle &handle, OutputMode output, std::uint32_t facts, const Views &views,
         const Options &options)
      : handle_(handle),
        output_(output), asked_{handle.known_index(),
                                facts << 2 | static_cast<std::uint32_t>(output), options, views} {}

  // For a call that is not validated, if nothing needs to be but its numbers; else nullptr.
  [[nodiscard]] const Known *find_checked() const { return find<true>(); }
  // For a call of unchecked::.
  [[nodiscard]] const Known *find_unchecked() const { return find<false>(); }

  // Dispatches the call and remembers it; `checked`: its validation has passed. `note` is given
  // back as Known::note.
  void dispatch_first(const VariantHandle &variant, const Call &call, bool checked,
                      std::uint8_t note = 0) const {
    const detail::Dispatching first(variant, call, output_, asked_.options);
    if (first.can_repeat() && !has_empty()) {
      Known &entry = detail::t_memo.at(handle_.index(), *asked_.views[0]);
      first.fill(entry, note);
      entry.keep(first.serving(),
                 Asked{handle_.index(), asked_.facts, asked_.options, asked_.views}, checked);
    }
    first.run();
  }

  // Dispatches a call that is like no other.
  void dispatch_unlike(const VariantHandle &variant, const Call &call) const {
    dispatch(variant, call, output_, asked_.options);
  }

private:
  using Asked = CallMemo::Asked<kInputs, kOutputs>;

  template <bool kChecked> [[nodiscard]] const Known *find() const {
    const Serving *const now = detail::serving.load(std::memory_order_acquire);
    const Known *entry = &detail::t_memo.at(asked_.variant, *asked_.views[0]);
    asm("" : "+r"(entry)); // a thread's address is found once, not at every use
    return entry->template is_like<kChecked>(now, asked_) &&
                   entry->template lies_alike<kChecked>(asked_)
               ? entry
               : nullptr;
  }
  [[nodiscard]] bool has_empty() const {
    bool empty = false;
    for (const ConstView *view : asked_.views) {
      empty = empty || view->empty() || view->data == nullptr;
    }
    return empty;
  }

  const VariantHandle &handle_;
  OutputMode output_;
  Asked asked_;
};

// Runs a call that is known and whose numbers are good, if its candidate has nothing to ask.
// Edges try this first and go on out of line: what is not kept for later needs no registers saved.
[[nodiscard]] inline bool run_settled(const Known &known, const Call &call) {
  if (known.domain != nullptr) [[unlikely]] {
    return false;
  }
  detail::t_last_route = &known.route;
  detail::run_here(known.run, call);
  return true;
}

// The same where it may have; false: the candidate refuses the call this time, and nothing has
// happened.
[[nodiscard]] inline bool run_again(const Known &known, const Call &call) {
  if (known.domain != nullptr && known.domain(call) != nullptr) {
    return false;
  }
  detail::t_last_route = &known.route;
  detail::run_here(known.run, call);
  return true;
}

} // namespace switchyard
