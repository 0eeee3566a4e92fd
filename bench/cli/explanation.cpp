#include "bench/cli/explanation.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/availability.hpp"
#include "bench/cli/explain_reasons.hpp"
#include "bench/cli/explain_source.hpp"
#include "bench/conformance/problem.hpp"
#include "bench/measure/matrix.hpp"
#include "candidates/contracts/registry.hpp"
#include "candidates/registry.hpp"
#include "evidence/evidence.hpp"
#include "router/dispatch.hpp"
#include "router/router.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/ranking.hpp"
#include "tablegen/trace.hpp"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;
using tablegen::Alternative;
using tablegen::kNone;
using tablegen::RowUse;
using tablegen::Verdict;

// A class's keys under their names in evidence. A further key is a further line.
Keys keys_of(const tablegen::ClassKey &key) {
  Keys keys{{"dtype", key.dtype},
            {"channels", fmt::format("{}", key.channels)},
            {"layout", std::string(name_of(key.layout))},
            {"output", std::string(name_of(key.output))},
            {"threads", fmt::format("{}", key.thread_budget)}};
  if (!key.op_class.empty()) {
    keys.push_back({"op_class", key.op_class});
  }
  return keys;
}

tablegen::ClassKey class_of(std::string_view variant, std::string_view dtype,
                            const Router::Service &service) {
  return {std::string(variant),
          std::string(dtype),
          service.channels,
          service.layout,
          service.output,
          service.budget,
          std::string(service.op_class)};
}

class Explainer {
public:
  explicit Explainer(const ExplainRequest &request)
      : request_(request), variant_(variant_named(request.variant)),
        contract_(*candidates::find_contract(variant_.name)),
        cell_(cell_of(request, variant_, contract_)),
        problem_(variant_, contract_, measure::problem_of(variant_, contract_, cell_)),
        set_(tablegen::candidate_set(candidates::ops())), source_(request, set_) {
    demand_ = request.exactness == "bitwise" ? Exactness::bitwise : Exactness::faithful;
    output_ = problem_.spec().output == OutputMode::fresh ? OutputMode::fresh : OutputMode::into;
    key_ = key_of(variant_.kinds, problem_.call(), output_, request.threads, demand_);
    index_ = source_.router().variant_index(variant_.name);
  }

  Explanation run() {
    result_.variant = variant_.name;
    result_.elements = key_.elements;
    note_problem();
    decide();
    find_service();
    note_contenders();
    note_limit();
    if (traced_.trace) {
      result_.file = traced_.file;
      result_.cells = cells_of_region(traced_, part_);
    }
    return std::move(result_);
  }

private:
  void note_problem() {
    result_.problem = {{"dtype", cell_.dtype},
                       {"shape", fmt::format("{}", fmt::join(cell_.shape, "x"))},
                       {"channels", fmt::format("{}", key_.channels)},
                       {"layout", std::string(name_of(key_.layout))},
                       {"output", std::string(name_of(key_.output))},
                       {"threads", fmt::format("{}", key_.threads)},
                       {"params", cell_.params},
                       {"exactness", std::string(name_of(demand_))}};
    if (!variant_.kinds.classes.empty()) {
      const auto at = static_cast<std::size_t>(key_.op_class);
      result_.problem.push_back({"op_class", std::string(variant_.kinds.classes[at])});
    }
  }

  void decide() {
    Decision decision;
    if (source_.serves_process()) {
      Options options;
      options.threads = request_.threads;
      options.exactness = demand_;
      decision = decide_for(VariantHandle(variant_.name), problem_.call(), output_, options);
    } else {
      decision = source_.router().decide(index_, problem_.call(), key_);
    }
    result_.candidate = decision.candidate->id;
    result_.threads = decision.threads;
    result_.grade = name_of(decision.grade);
    result_.machine = source_.router().profile();
  }

  // The class and region that serve, and what is known of them.
  void find_service() {
    service_ = source_.router().service(index_, problem_.call().dtype_case, key_);
    if (service_.parts.empty()) {
      result_.notes.emplace_back("nothing was measured: the order of the op's table serves");
      return;
    }
    const auto &[source, table] = source_.table(service_.table);
    result_.source = source;
    result_.profile = table.profile;
    const tablegen::ClassKey key = class_of(variant_.name, cell_.dtype, service_);
    result_.of_class = keys_of(key);
    result_.measured_from = service_.measured_from;
    result_.measured_to = service_.measured_to;
    result_.from = service_.parts[service_.part].from;
    result_.to = service_.parts[service_.part].to;
    trace(traced_, fs::path(request_.folder) / result_.profile, key, set_);
    if (traced_.trace) {
      part_ = tablegen::part_at(*traced_.trace, demand_, key_.elements);
    }
    note_edges();
    note_evidence();
  }

  // What of the ranking could serve the problem at all, were every domain to accept it.
  [[nodiscard]] const Router::Alternative *
  first_serving(const std::vector<Router::Alternative> &ranking) const {
    const auto found =
        std::find_if(ranking.begin(), ranking.end(), [&](const Router::Alternative &each) {
          return each.threads <= key_.threads && exactness_of(*each.candidate) >= demand_;
        });
    return found == ranking.end() ? nullptr : &*found;
  }

  void add_edge(bool below, std::int64_t at, const Router::Service::Part &beyond) {
    Edge edge{below, at, std::nullopt, std::nullopt, "", 1};
    if (const Router::Alternative *route = first_serving(beyond.ranking)) {
      edge.candidate = route->candidate->id;
      edge.threads = route->threads;
    }
    if (traced_.trace) {
      for (const std::int64_t size : traced_.trace->plan.sizes) {
        edge.smaller = size < at ? size : edge.smaller;
        edge.larger = size >= at && !edge.larger ? size : edge.larger;
      }
    }
    result_.edges.push_back(std::move(edge));
  }

  void note_edges() {
    const std::size_t at = service_.part;
    if (at > 0) {
      add_edge(true, service_.parts[at].from, service_.parts[at - 1]);
    }
    if (at + 1 < service_.parts.size()) {
      add_edge(false, service_.parts[at].to, service_.parts[at + 1]);
    }
  }

  void note_evidence() {
    if (result_.profile == kPortableProfile) {
      result_.notes.emplace_back("the portable table is made from all profiles; --profile NAME "
                                 "explains the routes of one");
    } else if (!traced_.trace) {
      result_.notes.push_back(fmt::format("no evidence of this class in {}/{}: reasons and rows "
                                          "are not known (see --evidence)",
                                          request_.folder, result_.profile));
    } else if (!same_ranking()) {
      result_.notes.push_back(fmt::format("the evidence in {} leads to another ranking than the "
                                          "table that serves: build again, or see --evidence",
                                          request_.folder));
    }
  }

  // Whether the trace is of the routes that serve.
  [[nodiscard]] bool same_ranking() const {
    for (const tablegen::Region &region : traced_.trace->plan.regions) {
      if (key_.elements < region.to) {
        const auto &ranking = service_.parts[service_.part].ranking;
        return region.from == result_.from && region.to == result_.to &&
               std::equal(region.ranking.begin(), region.ranking.end(), ranking.begin(),
                          ranking.end(), [](const Alternative &a, const Router::Alternative &b) {
                            return a.candidate == b.candidate->id && a.threads == b.threads;
                          });
      }
    }
    return false;
  }

  [[nodiscard]] Exactness exactness_of(const Candidate &candidate) const {
    return candidate.exactness[problem_.call().dtype_case];
  }

  void note_contenders() {
    winner_ =
        part_ ? tablegen::index_of(*part_->data, {result_.candidate, result_.threads}) : kNone;
    if (winner_ != kNone) {
      const auto *cell = tablegen::nearest_cell(*part_, winner_, key_.elements);
      result_.nearest = cell == nullptr ? "" : cell->key;
    }
    std::set<std::string_view> seen;
    for (const Router::Alternative &each :
         source_.router().ranking(index_, problem_.call().dtype_case, key_)) {
      add_ranked(*each.candidate, each.threads);
      seen.insert(each.candidate->id);
    }
    if (part_) {
      for (const Alternative &each : part_->data->alternatives) {
        add_unranked(each);
      }
    }
    for (const Candidate &candidate : variant_.candidates) {
      if (!seen.contains(candidate.id)) {
        add_absent(candidate);
      }
    }
  }

  [[nodiscard]] bool listed(std::string_view candidate, int threads) const {
    return std::any_of(
        result_.contenders.begin(), result_.contenders.end(), [&](const Contender &each) {
          return each.candidate == candidate && (each.threads == threads || threads == 0);
        });
  }

  void add_ranked(const Candidate &candidate, int threads) {
    if (listed(candidate.id, threads)) {
      return;
    }
    Contender contender{std::string(candidate.id), threads, "", "", {}, {}};
    note_times(contender);
    if (candidate.id == result_.candidate && threads == result_.threads) {
      contender.reason = "chosen";
      contender.detail = why_chosen();
    } else if (const char *refusal = candidate.refuses(problem_.call())) {
      contender.reason = "domain";
      contender.detail = fmt::format("its domain refuses the problem: {}", refusal);
    } else if (threads > key_.threads) {
      contender.reason = "threads";
      contender.detail = fmt::format("uses {} threads; the call grants {}", threads, key_.threads);
    } else if (exactness_of(candidate) < demand_) {
      contender.reason = "inexact";
      contender.detail = "its results are faithful; the call demands bitwise ones";
    } else {
      note_verdict(contender);
    }
    result_.contenders.push_back(std::move(contender));
  }

  void note_verdict(Contender &contender) const {
    const std::size_t a =
        part_ ? tablegen::index_of(*part_->data, {contender.candidate, contender.threads}) : kNone;
    if (!part_) {
      contender.reason = "ranked_behind";
      contender.detail = "comes later in the ranking";
    } else if (a == kNone || !measured(a)) {
      note_fate(contender);
    } else {
      const Verdict verdict = part_->choice->verdicts[a];
      contender.reason = name_of(verdict);
      contender.detail = sentence_of(verdict);
      if (verdict == Verdict::slower && left_early(*part_, a)) {
        contender.detail = "slower than the region's best: it left a cell's race early";
      }
      if (verdict == Verdict::chosen) { // the policy's choice, but not this call's
        contender.reason = "pinned";
        contender.detail = "the fastest; the caller fixed another candidate";
      }
    }
  }

  // Measured behind the floor, where no call would reach it.
  void add_unranked(const Alternative &alternative) {
    const std::size_t a = tablegen::index_of(*part_->data, alternative);
    if (listed(alternative.candidate, alternative.threads) || !measured(a)) {
      return;
    }
    Contender contender{alternative.candidate, alternative.threads, "", "", {}, {}};
    note_times(contender);
    contender.reason = "behind_floor";
    contender.detail = "slower than the floor, which accepts every problem";
    result_.contenders.push_back(std::move(contender));
  }

  void add_absent(const Candidate &candidate) {
    if (listed(candidate.id, 0)) {
      return;
    }
    Contender contender{std::string(candidate.id), 0, "", "", {}, {}};
    if (!candidate.built()) {
      contender.reason = word_of(RowUse::not_built);
      contender.detail = why_not_built(candidate);
    } else if (exactness_of(candidate) == Exactness::unsupported) {
      contender.reason = word_of(RowUse::unsupported);
      contender.detail = fmt::format("does not compute {}", cell_.dtype);
    } else {
      note_fate(contender);
    }
    result_.contenders.push_back(std::move(contender));
  }

  void note_fate(Contender &contender) const {
    const Reason reason = traced_.trace
                              ? why_without_time(*traced_.trace, contender.candidate, set_)
                              : Reason{"not_measured", "comes later, or is not in the ranking"};
    contender.reason = reason.word;
    contender.detail = reason.sentence;
  }

  [[nodiscard]] bool measured(std::size_t a) const {
    return tablegen::nearest_cell(*part_, a, key_.elements) != nullptr;
  }

  // Ratio to the route over the region, and the time in the cell nearest in size.
  void note_times(Contender &contender) const {
    if (winner_ == kNone) {
      return;
    }
    const std::size_t a =
        tablegen::index_of(*part_->data, {contender.candidate, contender.threads});
    if (a == kNone || !measured(a)) {
      return;
    }
    const tablegen::Segment segment{part_->choice->segment.first, part_->choice->segment.last,
                                    winner_};
    const evidence::Interval over = tablegen::time_over_winner(*part_->data, segment, a);
    contender.ratio = {1 + over.estimate, 1 + over.low, 1 + over.high};
    const auto *cell = tablegen::nearest_cell(*part_, a, key_.elements);
    if (cell->key == result_.nearest) {
      contender.median_ns = evidence::median(cell->lanes[a].newest().samples_ns);
    }
  }

  [[nodiscard]] std::string why_chosen() const {
    if (result_.grade == name_of(Grade::pinned)) {
      return "the caller fixed it";
    }
    if (winner_ == kNone) {
      return "the first that accepts the problem";
    }
    const Verdict verdict = part_->choice->verdicts[winner_];
    if (verdict != Verdict::chosen) {
      return fmt::format("the first that accepts the problem; {}", sentence_of(verdict));
    }
    if (part_->choice->best == winner_) {
      return "the fastest of its region";
    }
    const Alternative &best = part_->data->alternatives[part_->choice->best];
    return fmt::format("tied with {} t{}, which lost the tie", best.candidate, best.threads);
  }

  void note_limit() {
    if (winner_ == kNone) {
      return;
    }
    const auto *cell = tablegen::nearest_cell(*part_, winner_, key_.elements);
    if (cell == nullptr) {
      return;
    }
    if (const auto over = tablegen::over_limit(*cell, winner_)) {
      result_.limit = Limit{over->limit, cell->key, over->ratio};
    }
  }

  const ExplainRequest &request_;
  const Variant &variant_;
  const VariantContract &contract_;
  evidence::Cell cell_;
  conformance::Problem problem_;
  tablegen::CandidateSet set_;
  Source source_;
  Exactness demand_ = Exactness::faithful;
  OutputMode output_ = OutputMode::into;
  RouteKey key_;
  int index_ = 0;
  Router::Service service_;
  Traced traced_;
  std::optional<tablegen::TracedPart> part_;
  std::size_t winner_ = kNone; // of the part's alternatives: the route
  Explanation result_;
};

} // namespace

Explanation explain(const ExplainRequest &request) {
  return Explainer(request).run();
}

} // namespace switchyard::cli
