// What `switchyard explain` asks: the problem in question, the router that serves it, and the
// evidence that its routes come from.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cli/explanation.hpp"
#include "evidence/evidence.hpp"
#include "router/router.hpp"
#include "router/serving.hpp"
#include "switchyard/core/contract.hpp"
#include "tablegen/candidate_set.hpp"
#include "tablegen/planned_table.hpp"
#include "tablegen/policy.hpp"
#include "tablegen/trace.hpp"

namespace switchyard::cli {

// Throws std::invalid_argument for a name that is not registered.
[[nodiscard]] const Variant &variant_named(const std::string &name);

// The problem as a cell. Throws std::invalid_argument that names the flag at fault.
[[nodiscard]] evidence::Cell cell_of(const ExplainRequest &request, const Variant &variant,
                                     const VariantContract &contract);

// A router and the tables that it was made of, in its order.
class Source {
public:
  // Throws an exception of one line for evidence, a profile or an environment that is not there.
  Source(const ExplainRequest &request, const tablegen::CandidateSet &set);
  Source(const Source &) = delete;

  [[nodiscard]] const Router &router() const { return *router_; }
  // Whether it is the router of this process, with its pins.
  [[nodiscard]] bool serves_process() const { return serving_ != nullptr; }
  // A table by Router::Service::table, and where it comes from.
  [[nodiscard]] const std::pair<std::string, RouteTable> &table(int number) const {
    return tables_.at(static_cast<std::size_t>(number - 1));
  }

private:
  void plan(const ExplainRequest &request, const tablegen::CandidateSet &set);
  void add(std::string name, std::span<const RouteTable> all);

  const Router *router_ = nullptr;
  const Serving *serving_ = nullptr;
  std::vector<std::pair<std::string, RouteTable>> tables_;
  std::optional<Router> own_;
  // What the planned tables refer to.
  std::vector<tablegen::Plan> plans_;
  std::vector<tablegen::PlannedTable> planned_;
  std::string candidate_set_;
};

// The evidence of one variant on one machine, and how a class of it came to its routes.
struct Traced {
  evidence::Profile profile; // the trace points into it
  std::string file;          // empty: there is none
  std::optional<tablegen::ClassTrace> trace;
};

// Fills `traced` from a profile's folder; leaves it empty where that has no evidence of the class.
void trace(Traced &traced, const std::filesystem::path &folder, const tablegen::ClassKey &key,
           const tablegen::CandidateSet &set);

} // namespace switchyard::cli
