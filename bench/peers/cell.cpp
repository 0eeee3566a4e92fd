#include "bench/peers/cell.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "bench/measure/measure.hpp"

namespace switchyard::peers {
namespace {

// What the subject runs, in the shape of a candidate: everything competes through the same
// indirection.
struct Contender : Candidate {
  std::string peer; // empty: the routed call
  std::string text;
  Bind *bind = nullptr; // made anew wherever the buffers move
  Bound bound;
  std::optional<std::size_t> offer; // of another process
};

int execute_bound(const Candidate &candidate, const Call & /*call*/, int /*threads*/) {
  static_cast<const Contender &>(candidate).bound();
  return 1;
}

measure::Hooks hooks_of(const CellOptions &options) {
  measure::Hooks hooks = options.hooks;
  hooks.execute = execute_bound;
  return hooks;
}

class CellRun {
public:
  CellRun(const measure::Entry &entry, const evidence::Cell &cell, const Public &routed,
          const CellOptions &options, Foreign *foreign)
      : entry_(entry), cell_(cell), options_(options), foreign_(foreign),
        start_(options.hooks.now()),
        subject_(*entry.variant, *entry.contract,
                 measure::problem_of(*entry.variant, *entry.contract, cell), hooks_of(options)) {
    routed_.bound = [this, run = routed.run] { run(subject_.call(), kDefaultOptions); };
    known_ = &routed;
  }

  CellOutcome run(std::span<const Peer> peers) {
    outcome_.mismatch = routed_mismatch(subject_, routed_, floor());
    if (outcome_.mismatch.empty()) {
      gather(peers);
      keep_agreeing();
      if (!field_.empty()) {
        race();
      }
    }
    outcome_.elapsed_ns = static_cast<double>(options_.hooks.now() - start_);
    return std::move(outcome_);
  }

private:
  [[nodiscard]] const Candidate &floor() const { return entry_.variant->candidates.back(); }

  Contender &add(std::string_view peer, std::string_view text) {
    Contender &contender = contenders_.emplace_back();
    contender.exactness.fill(Exactness::faithful);
    contender.peer = peer;
    contender.text = text;
    return contender;
  }

  void gather(std::span<const Peer> peers) {
    for (const Peer &peer : peers) {
      for (const Expression &expression : peer.expressions) {
        if (expression.variant == entry_.variant->name && expression.bind(subject_.call())) {
          add(peer.name, expression.text).bind = expression.bind;
        }
      }
    }
    if (foreign_ != nullptr) {
      std::size_t number = 0;
      for (const Foreign::Offer &offer :
           foreign_->open(*entry_.variant, subject_.call(), *known_)) {
        add(offer.peer, offer.text).offer = number++;
      }
    }
    if (floor().refuses(subject_.call()) == nullptr) {
      add("loop", floor().id).bound = [this] { floor().run(subject_.call()); };
    }
  }

  // Buffers at the offsets of this round, and everyone bound to them.
  void start_round(int round) {
    subject_.start_round(round);
    for (Contender &contender : contenders_) {
      if (contender.bind != nullptr) {
        contender.bound = contender.bind(subject_.call());
      }
    }
    if (foreign_ != nullptr) {
      foreign_->place(subject_.call());
    }
  }

  void run_once(const Contender &contender) {
    if (contender.offer) {
      foreign_->run(*contender.offer, subject_.call());
    } else {
      subject_.run_once({&contender, 1});
    }
  }

  // Brings back what the previous contender replaced in the caches; another process does that by
  // itself.
  void prepare(const Contender &contender) {
    if (!contender.offer) {
      run_once(contender);
    }
  }

  double time(const Contender &contender, std::int64_t calls) {
    return contender.offer ? foreign_->time(*contender.offer, calls)
                           : subject_.time({&contender, 1}, calls);
  }

  // The first difference between a peer's results and the routed call's; empty: they agree. Every
  // round's outputs begin poisoned, so that who writes nothing is seen.
  std::string difference(const Contender &contender, const Results &expected, int round) {
    try {
      start_round(round);
      run_once(contender);
      std::string found = disagreement(subject_.call(), expected, results_of(subject_.call()));
      if (!found.empty() && !contender.offer) {
        // What both may do by the contract is no disagreement.
        const std::string mismatch = subject_.verify({&contender, 1}, &floor());
        found = mismatch.empty() ? mismatch : found;
      }
      return found;
    } catch (const std::exception &error) { // the library's own; some add a stack trace
      const std::string_view what = error.what();
      return std::string(what.substr(0, what.find('\n')));
    }
  }

  void keep_agreeing() {
    start_round(0);
    run_once(routed_);
    const Results expected = results_of(subject_.call());
    int round = 1;
    for (const Contender &contender : contenders_) {
      const std::string found = difference(contender, expected, round++);
      if (found.empty()) {
        field_.push_back(&contender);
      } else {
        outcome_.notes.push_back(fmt::format("{}, {}: {}", contender.peer, contender.text, found));
      }
    }
  }

  [[nodiscard]] double slice_ns() const {
    return std::max(options_.slice_ns, options_.clock_error_ns * measure::kSliceOverClockError);
  }

  double warmed_up(const Contender &contender) {
    prepare(contender);
    return measure::warm_up([&](std::int64_t calls) { return time(contender, calls); },
                            slice_ns() / 2);
  }

  void race() {
    start_round(0);
    double fastest = warmed_up(routed_);
    for (const Contender *contender : field_) {
      fastest = std::min(fastest, warmed_up(*contender));
    }
    const std::int64_t calls = measure::iterations_for(fastest, slice_ns());
    measure::Track track;
    track.alternatives = field_.size() + 1;
    track.limits = 1; // the routed call, last: it stays in every round
    track.start_round = [&](int round) { start_round(round); };
    track.time_per_call = [&](std::size_t i) {
      const Contender &contender = i < field_.size() ? *field_[i] : routed_;
      prepare(contender);
      return time(contender, calls) / static_cast<double>(calls);
    };
    const measure::RaceResult result = measure::race(track, rules());
    outcome_.race_ns = result.elapsed_ns;
    outcome_.rounds = result.rounds;
    outcome_.complete = result.complete;
    note_times(result);
  }

  [[nodiscard]] measure::RaceRules rules() const {
    measure::RaceRules rules = options_.rules;
    rules.now = options_.hooks.now;
    const auto spent = static_cast<double>(options_.hooks.now() - start_);
    rules.budget_ns = std::min(rules.budget_ns, std::max(options_.cell_budget_ns - spent, 0.0));
    return rules;
  }

  // The fastest expression of each peer.
  void note_times(const measure::RaceResult &result) {
    for (std::size_t i = 0; i < field_.size(); ++i) {
      const auto known =
          std::find_if(outcome_.peers.begin(), outcome_.peers.end(),
                       [&](const PeerTimes &peer) { return peer.peer == field_[i]->peer; });
      PeerTimes times{field_[i]->peer,
                      std::string(entry_.variant->name),
                      cell_,
                      field_[i]->text,
                      result.times.back(),
                      result.times[i]};
      if (known == outcome_.peers.end()) {
        outcome_.peers.push_back(std::move(times));
      } else if (evidence::median(times.times) < evidence::median(known->times)) {
        *known = std::move(times);
      }
    }
  }

  const measure::Entry &entry_;
  const evidence::Cell &cell_;
  const CellOptions &options_;
  Foreign *foreign_;
  const Public *known_ = nullptr;
  std::int64_t start_;
  measure::Subject subject_;
  Contender routed_;
  std::deque<Contender> contenders_; // field_ points into it
  std::vector<const Contender *> field_;
  CellOutcome outcome_;
};

} // namespace

std::string routed_mismatch(measure::Subject &subject, Candidate &routed, const Candidate &floor) {
  std::string mismatch;
  for (const Exactness exactness : {Exactness::faithful, Exactness::bitwise}) {
    routed.exactness.fill(exactness);
    mismatch = subject.verify({&routed, 1}, &floor);
    if (mismatch.empty()) {
      break;
    }
  }
  return mismatch;
}

CellOptions default_cell_options(int comparisons) {
  constexpr int kMore = 10; // rounds, where a cell's time allows
  CellOptions options;
  options.clock_error_ns = measure::examine_clock(measure::steady_now).error_ns();
  options.rules.least_rounds = rounds_for(comparisons);
  options.rules.most_rounds = options.rules.least_rounds + kMore;
  options.rules.budget_ns = 1.5e9;
  // Everyone needs a time; only whoever is many times slower than the fastest peer leaves.
  options.rules.drop_ratio = std::numeric_limits<double>::infinity();
  options.rules.hopeless_ratio = 8;
  return options;
}

CellOutcome race_cell(const measure::Entry &entry, const evidence::Cell &cell, const Public &routed,
                      std::span<const Peer> peers, Foreign *foreign, const CellOptions &options) {
  return CellRun(entry, cell, routed, options, foreign).run(peers);
}

} // namespace switchyard::peers
