#include "bench/cli/explain_source.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "router/machine.hpp"
#include "tablegen/command.hpp"
#include "tablegen/incumbents.hpp"

namespace switchyard::cli {
namespace {

std::string default_params(const VariantContract &contract) {
  const auto sets = contract.param_sets;
  const auto measured =
      std::find_if(sets.begin(), sets.end(), [](const ParamSet &set) { return set.measured; });
  return std::string(measured == sets.end() ? sets.front().name : measured->name);
}

// A problem is drawn in memory, so that domains can be asked about it.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

// A profile that was asked for by name must be there.
void check_profile(const ExplainRequest &request, std::span<const RouteTable> tables) {
  std::vector<std::string_view> names;
  for (const RouteTable &table : tables) {
    names.push_back(table.profile);
  }
  const bool found = std::find(names.begin(), names.end(), request.profile) != names.end();
  if (!request.profile.empty() && !found) {
    throw std::invalid_argument(
        fmt::format("--profile {}: there are {}", request.profile,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

} // namespace

const Variant &variant_named(const std::string &name) {
  const Variant *variant = candidates::find_variant(name);
  if (variant == nullptr) {
    throw std::invalid_argument(name + ": no such variant (see switchyard ops)");
  }
  return *variant;
}

evidence::Cell cell_of(const ExplainRequest &request, const Variant &variant,
                       const VariantContract &contract) {
  const auto known =
      std::find_if(variant.dtypes.begin(), variant.dtypes.end(),
                   [&](const DtypeCase &each) { return each.name == request.dtype; });
  if (known == variant.dtypes.end()) {
    std::vector<std::string_view> names;
    for (const DtypeCase &each : variant.dtypes) {
      names.push_back(each.name);
    }
    throw std::invalid_argument(
        fmt::format("--dtype {}: {} has {}", request.dtype, variant.name, fmt::join(names, ", ")));
  }
  evidence::Cell cell;
  try {
    cell = evidence::Cell::parse(fmt::format(
        "{} {} {} {} hot t{} {}", request.dtype, request.shape, request.layout, request.output,
        request.threads, request.params.empty() ? default_params(contract) : request.params));
  } catch (const std::invalid_argument &) {
    throw std::invalid_argument(
        fmt::format("--shape {}: HxWxC or XxHxWxC expected, as in 480x640x3", request.shape));
  }
  if (cell.elements() > kMostElements) {
    throw std::invalid_argument(fmt::format("--shape {}: more than 2^28 elements", request.shape));
  }
  return cell;
}

Source::Source(const ExplainRequest &request, const tablegen::CandidateSet &set) {
  if (request.planned) {
    plan(request, set);
    return;
  }
  if (request.profile.empty()) {
    serving_ = &serving();
    router_ = &serving_->router;
    if (serving_->file != nullptr) {
      tables_.emplace_back(serving_->file->name(), serving_->file->table());
    }
  } else {
    check_profile(request, compiled_routes());
    own_.emplace(candidates::ops(), compiled_routes(), request.profile);
    router_ = &*own_;
  }
  add("compiled", compiled_routes());
}

// The routes that the evidence leads to, as the next build would have them.
void Source::plan(const ExplainRequest &request, const tablegen::CandidateSet &set) {
  plans_ = tablegen::plans_in(request.folder, set);
  candidate_set_ = tablegen::hash_of(set);
  std::vector<RouteTable> tables;
  for (const tablegen::Plan &plan : plans_) {
    planned_.emplace_back(plan, candidate_set_);
    tables.push_back(planned_.back().table());
  }
  check_profile(request, tables);
  own_.emplace(candidates::ops(), tables,
               request.profile.empty() ? machine_profile() : request.profile);
  router_ = &*own_;
  add("evidence in " + request.folder, tables);
}

void Source::add(std::string name, std::span<const RouteTable> all) {
  if (const RouteTable *table = serving_table(all, router_->profile())) {
    tables_.emplace_back(std::move(name), *table);
  }
}

void trace(Traced &traced, const std::filesystem::path &folder, const tablegen::ClassKey &key,
           const tablegen::CandidateSet &set) {
  const std::filesystem::path file = folder / (key.variant + ".json");
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "machine.json", ignored) ||
      !std::filesystem::exists(file, ignored)) {
    return;
  }
  traced.file = file.string();
  traced.profile.machine = evidence::read_machine(folder / "machine.json");
  traced.profile.variants.emplace(key.variant, evidence::read_variant(file));
  const tablegen::Incumbents incumbents = tablegen::read_incumbents(folder);
  std::vector<std::string> warnings;
  for (tablegen::ClassData &data : tablegen::gather(traced.profile, set, warnings)) {
    if (data.key == key) {
      traced.trace = tablegen::trace_class(std::move(data), incumbents);
    }
  }
}

} // namespace switchyard::cli
