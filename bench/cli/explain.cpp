// switchyard explain: why a problem takes the route that it takes.
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bench/cli/commands.hpp"
#include "bench/cli/explanation.hpp"
#include "bench/cli/profiles.hpp"
#include "candidates/registry.hpp"
#include "switchyard/core/route_table.hpp"

namespace switchyard::cli {
namespace {

template <class Enum> CLI::IsMember names_of(int count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    names.emplace_back(name_of(static_cast<Enum>(i)));
  }
  return CLI::IsMember(names);
}

} // namespace

void add_explain(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("explain", "Why a problem takes the route that it takes");
  const auto request = std::make_shared<ExplainRequest>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("VARIANT", request->variant, "Variant, as `ops` lists it")->required();
  command->add_option("--dtype", request->dtype, "One of the variant's dtypes")
      ->required()
      ->type_name("DTYPE");
  command->add_option("--shape", request->shape, "Of the first input: HxWxC or XxHxWxC")
      ->required()
      ->type_name("SHAPE");
  command->add_option("--threads", request->threads, "The caller's thread budget")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--layout", request->layout, "Layout of all views")
      ->type_name("LAYOUT")
      ->check(names_of<LayoutClass>(kLayoutClasses).description(""))
      ->capture_default_str();
  command->add_option("--out", request->output, "Where the result goes")
      ->type_name("into|fresh|inplace")
      ->check(CLI::IsMember({"into", "fresh", "inplace", "in_place"}).description(""))
      ->capture_default_str();
  command->add_option("--params", request->params, "Parameter set, as in evidence cells")
      ->type_name("SET");
  command->add_option("--exactness", request->exactness, "What the caller demands")
      ->type_name("faithful|bitwise")
      ->check(CLI::IsMember({"faithful", "bitwise"}).description(""))
      ->capture_default_str();
  command->add_option("--profile", request->profile, "As if on the machine of this profile")
      ->type_name("NAME");
  auto *evidence =
      command
          ->add_option("--evidence", request->folder,
                       "Folder of profiles; where it is given, the routes that follow from it "
                       "are explained, else those that serve")
          ->type_name("DIR")
          ->capture_default_str();
  command->add_flag("--json", *json, "Print JSON");
  command->callback([request, json, evidence] {
    request->planned = evidence->count() > 0;
    if (!request->planned) {
      request->folder = built_profiles();
    }
    if (request->output == "inplace") {
      request->output = name_of(OutputMode::in_place);
    }
    const Explanation explanation = explain(*request);
    fmt::print("{}", *json ? to_json(explanation) : to_text(explanation));
  });
}

} // namespace switchyard::cli
