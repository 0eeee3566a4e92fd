#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evidence/attempts.hpp"
#include "evidence/evidence.hpp"
#include "evidence/faults.hpp"
#include "evidence/files.hpp"
#include "evidence/incumbents.hpp"
#include "evidence/parse.hpp"
#include "evidence/rows.hpp"
#include "evidence/statistics.hpp"

namespace switchyard::evidence {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// One unit of the fourth digit, at its largest.
constexpr double kRounding = 1.001e-3;

// Comes before every other field: a newer schema may have any.
void check_schema(const Members &file) {
  const int schema = file.integer("schema");
  if (schema > kSchemaVersion) {
    file.fail("schema",
              fmt::format("newer schema {}; this program reads {}", schema, kSchemaVersion));
  }
  if (schema != kSchemaVersion) {
    file.fail("schema", fmt::format("unknown schema {}; accepted: {}", schema, kSchemaVersion));
  }
}

Status read_status(const Members &row) {
  const std::size_t rank = rank_of(row.text("status"), kStatusNames);
  if (rank == std::size(kStatusNames)) {
    row.fail("status", fmt::format("\"{}\"; accepted: {}", printable(row.text("status")),
                                   fmt::join(kStatusNames, ", ")));
  }
  return static_cast<Status>(rank);
}

std::vector<double> read_samples(const Members &row) {
  std::vector<double> samples;
  for (const json &value : row.array("samples_ns")) {
    if (!value.is_number()) {
      row.fail_in("samples_ns", samples.size(),
                  fmt::format("is of type {}; accepted: number", value.type_name()));
    }
    samples.push_back(round_to_four_digits(value.get<double>()));
  }
  return samples;
}

Cell read_cell(const Members &row) {
  try {
    return Cell::parse(row.text("cell"));
  } catch (const std::invalid_argument &error) {
    row.fail("cell", error.what());
  }
}

std::optional<Allocations> read_allocations(const Members &row) {
  if (!row.has("allocations")) {
    return std::nullopt;
  }
  Allocations counted;
  counted.count = row.integer("allocations");
  if (counted.count > 0) {
    counted.bytes = row.whole("allocated_bytes");
    counted.peak = row.whole("peak_bytes");
  } else if (row.has("allocated_bytes") || row.has("peak_bytes")) {
    row.fail("allocations", "0, yet bytes are given");
  }
  return counted;
}

Context read_context(const Members &fields) {
  fields.allow_only({"harness", "machine", "compiler", "library", "quality"});
  Context context;
  context.harness = fields.integer("harness");
  context.machine = fields.text("machine");
  context.compiler = fields.text("compiler");
  context.library = fields.text("library");
  const std::size_t rank = rank_of(fields.text("quality"), kQualityNames);
  if (rank == std::size(kQualityNames)) {
    fields.fail("quality", fmt::format("\"{}\"; accepted: {}", printable(fields.text("quality")),
                                       fmt::join(kQualityNames, ", ")));
  }
  context.quality = static_cast<Quality>(rank);
  return context;
}

Row read_row(const Members &fields) {
  Row row;
  row.cell = read_cell(fields);
  row.candidate = fields.text("candidate");
  row.version = fields.integer("version");
  row.threads = fields.integer("threads");
  row.status = read_status(fields);
  row.context = fields.text("context");
  row.race = fields.has("race") ? fields.integer("race") : 1;
  if (row.status == Status::rejected) {
    fields.allow_only(
        {"cell", "candidate", "version", "threads", "status", "context", "race", "mismatch"});
    row.mismatch = fields.text("mismatch");
    return row;
  }
  fields.allow_only({"cell", "candidate", "version", "threads", "status", "context", "race",
                     "mismatch", "allocations", "allocated_bytes", "peak_bytes", "median_ns",
                     "ratio", "low", "high", "spread", "samples_ns"});
  row.mismatch = fields.has("mismatch") ? fields.text("mismatch") : "";
  row.allocations = read_allocations(fields);
  row.samples_ns = read_samples(fields);
  return row;
}

void check_figure(const Members &row, std::string_view name, double derived) {
  if (std::isinf(derived)) {
    if (!row.at(name).is_null()) {
      row.fail(name, "too few rounds for an upper bound; accepted: null");
    }
    return;
  }
  const double given = row.number(name);
  if (!(std::fabs(given - derived) <= kRounding * derived)) {
    row.fail(name, fmt::format("is {} where the samples give {}", json_number(given),
                               json_number(derived)));
  }
}

// The figures are for human readers; what disagrees with its samples was edited by hand.
void check_figures(const Members &row, const Summary &summary) {
  check_figure(row, "median_ns", summary.median_ns);
  check_figure(row, "ratio", summary.ratio);
  check_figure(row, "low", summary.low);
  check_figure(row, "high", summary.high);
  check_figure(row, "spread", summary.spread);
}

std::vector<Row> in_order(std::vector<Row> rows, const std::vector<std::size_t> &order) {
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t i : order) {
    sorted.push_back(std::move(rows[i]));
  }
  return sorted;
}

// The rows of a file that can be read, in its order.
void read_rows(const Members &file, const Source &source, const Attempts &attempts,
               VariantEvidence &evidence, std::vector<Members> &members) {
  attempts.run([&] {
    std::size_t i = 0;
    for (const json &value : file.array("rows")) {
      const std::string pointer = fmt::format("/rows/{}", i++);
      attempts.run([&] {
        const Members fields(value, pointer, source);
        Row row = read_row(fields);
        validate_row(row, pointer, source);
        members.push_back(fields);
        evidence.rows.push_back(std::move(row));
      });
    }
  });
}

void read_contexts(const Members &file, const Source &source, const Attempts &attempts,
                   VariantEvidence &evidence) {
  attempts.run([&] {
    const json &contexts = file.at("contexts");
    const Members members(contexts, "/contexts", source);
    for (const auto &entry : contexts.items()) {
      attempts.run([&] {
        const Members fields(entry.value(), members.pointer(entry.key()), source);
        evidence.contexts.emplace(entry.key(), read_context(fields));
      });
    }
  });
}

void check_order(const std::vector<std::size_t> &order, const Source &source) {
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (order[place] != place) {
      source.fail(fmt::format("/rows/{}", place),
                  fmt::format("is not in order: /rows/{} belongs here", order[place]));
    }
  }
}

// Stops after each stage that found faults: the next one would report what follows from them.
VariantEvidence variant_of(const json &document, const Source &source,
                           const Attempts &attempts = {}) {
  const Members file(document, "", source);
  check_schema(file);
  VariantEvidence evidence;
  attempts.run([&] { file.allow_only({"schema", "variant", "contexts", "rows"}); });
  attempts.run([&] { evidence.variant = file.text("variant"); });
  read_contexts(file, source, attempts, evidence);
  std::vector<Members> members;
  read_rows(file, source, attempts, evidence, members);
  if (!attempts.good()) {
    return evidence;
  }
  validate_together(evidence, source, attempts);
  if (!attempts.good()) {
    return evidence;
  }
  const std::vector<std::size_t> order = canonical_order(evidence.rows);
  const std::vector<Summary> summaries = summarise(evidence.rows, order);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (evidence.rows[i].status != Status::rejected) {
      attempts.run([&] { check_figures(members[i], summaries[i]); });
    }
  }
  if (attempts.collecting()) { // readers take any order
    attempts.run([&] { check_order(order, source); });
  }
  evidence.rows = in_order(std::move(evidence.rows), order);
  return evidence;
}

// The first difference between a file and what the writer makes of its content.
void check_text(std::string_view text, std::string_view written, const Source &source) {
  if (text == written) {
    return;
  }
  const auto [at, other] = std::mismatch(text.begin(), text.end(), written.begin(), written.end());
  const auto line = 1 + std::count(text.begin(), at, '\n');
  source.fail("", fmt::format("line {} is not as it is written: other digits, spaces or line "
                              "breaks; whatever writes the profile next mends it",
                              line));
}

void check_reviewable(std::string_view text, const Source &source) {
  if (text.size() > kMaxReviewedFile) {
    source.fail("",
                fmt::format("{} bytes; at most {} can be reviewed", text.size(), kMaxReviewedFile));
  }
}

Machine machine_of(const json &document, const Source &source) {
  const Members file(document, "", source);
  check_schema(file);
  file.allow_only({"schema", "profile", "facts"});
  Machine machine;
  machine.profile = file.text("profile");
  const Members groups(file.at("facts"), "/facts", source);
  for (const auto &[group, values] : file.at("facts").items()) {
    const Members facts(values, groups.pointer(group), source);
    auto &target = machine.facts[group];
    for (const auto &[name, value] : values.items()) {
      target[name] = facts.text(name);
    }
  }
  validate(machine, source);
  return machine;
}

} // namespace

// In one order whatever the file system's is. Hidden files are other programs' (and our own
// writers') working files.
std::vector<fs::path> files_of_profile(const fs::path &folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    std::error_code ignored;
    const fs::path name = entry->path().filename();
    if (name.string().starts_with('.')) {
      entry.disable_recursion_pending();
    } else if (name.extension() == ".json" && !entry->is_directory(ignored)) {
      files.push_back(entry->path().lexically_relative(folder));
    } else if (entry->is_symlink(ignored) && entry->is_directory(ignored)) {
      // Followed, it may lead around in a circle; passed over, its evidence would be missed.
      Source(entry->path().string())
          .fail("", "a link to a folder; evidence lies in folders proper");
    }
    entry.increment(error);
  }
  if (error) {
    Source(folder.string()).fail("", "cannot be listed: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

VariantEvidence read_variant(const fs::path &file) {
  const Source source(file.string());
  return variant_of(parse_json(read_file(file), source), source);
}

VariantEvidence parse_variant(std::string_view text, const std::string &name) {
  const Source source(name);
  return variant_of(parse_json(text, source), source);
}

Machine read_machine(const fs::path &file) {
  const Source source(file.string());
  return machine_of(parse_json(read_file(file), source), source);
}

Profile read_profile(const fs::path &folder) {
  Profile profile;
  profile.machine = read_machine(folder / "machine.json");
  for (const fs::path &file : files_of_profile(folder)) {
    if (file == "machine.json" || file == kIncumbentsFile) {
      continue; // the latter is no measurement; see incumbents.hpp
    }
    VariantEvidence evidence = read_variant(folder / file);
    if (evidence.variant + ".json" != file.generic_string()) {
      // A copied or renamed file would otherwise stand in for another variant's evidence.
      Source((folder / file).string())
          .fail("/variant",
                fmt::format("\"{}\" belongs in {}.json", evidence.variant, evidence.variant));
    }
    profile.variants.emplace(evidence.variant, std::move(evidence));
  }
  return profile;
}

CheckedVariant check_variant(const fs::path &file) {
  CheckedVariant checked;
  const Attempts attempts(checked.faults);
  attempts.run([&] {
    const Source source(file.string());
    const std::string text = read_file(file);
    VariantEvidence evidence = variant_of(parse_json(text, source), source, attempts);
    if (attempts.good()) {
      attempts.run([&] { check_text(text, to_json(evidence), source); });
      checked.evidence = std::move(evidence);
    }
    attempts.run([&] { check_reviewable(text, source); });
  });
  return checked;
}

CheckedMachine check_machine(const fs::path &file) {
  CheckedMachine checked;
  const Attempts attempts(checked.faults);
  attempts.run([&] {
    const Source source(file.string());
    const std::string text = read_file(file);
    checked.machine = machine_of(parse_json(text, source), source);
    check_text(text, to_json(*checked.machine), source);
  });
  return checked;
}

std::vector<Fault> check_incumbents(const fs::path &profile_folder) {
  std::vector<Fault> faults;
  const Attempts attempts(faults);
  attempts.run([&] {
    const std::vector<IncumbentRoute> routes = read_incumbents(profile_folder);
    const fs::path file = profile_folder / kIncumbentsFile;
    if (fs::exists(file)) {
      const Source source(file.string());
      const std::string text = read_file(file);
      check_text(text, to_json(routes), source);
      check_reviewable(text, source);
    }
  });
  return faults;
}

} // namespace switchyard::evidence
