// switchyard completion: what a shell needs to complete this program's arguments.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/commands.hpp"
#include "candidates/registry.hpp"
#include "router/compiled_routes.hpp"
#include "switchyard/core/route_table.hpp"

namespace switchyard::cli {
namespace {

using Words = std::vector<std::string>;

// What completes an argument: words, or one of the kinds that depend on the op before it
// ("dtypes", "candidates"), or files ("").
struct Kind {
  Words words;
  std::string depends;
};

Words variants() {
  Words words;
  for (const OpTable *op : candidates::ops()) {
    for (const Variant &variant : op->variants) {
      words.emplace_back(variant.name);
    }
  }
  return words;
}

Words ops() {
  Words words;
  for (const OpTable *op : candidates::ops()) {
    words.emplace_back(op->name);
  }
  return words;
}

Words ops_and_variants() {
  Words words = ops();
  Words all = variants();
  for (std::string &variant : all) {
    if (std::find(words.begin(), words.end(), variant) == words.end()) {
      words.push_back(std::move(variant));
    }
  }
  return words;
}

Words profiles() {
  Words words;
  for (const RouteTable &table : compiled_routes()) {
    words.emplace_back(table.profile);
  }
  return words;
}

Words layouts() {
  Words words;
  for (int i = 0; i < kLayoutClasses; ++i) {
    words.emplace_back(name_of(static_cast<LayoutClass>(i)));
  }
  return words;
}

// By the name that the help prints for a value. "into|fresh" lists the words themselves; names that
// are not here take files.
Kind kind_of(std::string_view name) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"VARIANT", {variants(), ""}}, {"OP", {ops(), ""}},
      {"GLOB", {variants(), ""}},    {"OP|VARIANT", {ops_and_variants(), ""}},
      {"DTYPE", {{}, "dtypes"}},     {"ID", {{}, "candidates"}},
      {"NAME", {profiles(), ""}},    {"LAYOUT", {layouts(), ""}},
      {"SHELL", {{"bash"}, ""}},
  };
  const auto found = kKinds.find(name);
  if (found != kKinds.end()) {
    return found->second;
  }
  const bool lists_words = name.find('|') != std::string_view::npos;
  return lists_words ? Kind{CLI::detail::split(std::string(name), '|'), ""} : Kind{};
}

// A word of a shell script within single quotes.
std::string quoted(const Words &words) {
  return fmt::format("'{}'", fmt::join(words, " "));
}

// The branch that sets what completes a value.
std::string branch(const std::string &pattern, const Kind &kind) {
  if (!kind.words.empty()) {
    return fmt::format("    {}) words={} ;;\n", pattern, quoted(kind.words));
  }
  return kind.depends.empty()
             ? fmt::format("    {}) files=1 ;;\n", pattern)
             : fmt::format("    {}) _switchyard_{} \"$op\" ;;\n", pattern, kind.depends);
}

bool takes_value(const CLI::Option &option) {
  return option.get_items_expected_max() > 0;
}

// Branches of one command: "command:--option" for values, "command:N" for the N-th positional, the
// last of which may repeat.
struct Branches {
  std::string values;
  std::string positionals;
  std::string options; // all of the command's, for words that begin with a dash
  Words with_value;

  void add(const std::string &command, const CLI::Option &option, int &place) {
    const std::string type = option.get_type_name();
    if (option.get_positional()) {
      const std::string name = option.get_name(true);
      const Kind kind = kind_of(type == "TEXT" ? name : type);
      const bool repeats = option.get_items_expected_max() > 1;
      positionals +=
          branch(fmt::format("{}:{}", command, repeats ? "*" : std::to_string(place)), kind);
      ++place;
      return;
    }
    for (const std::string &name : option.get_lnames()) {
      if (takes_value(option)) {
        values += branch(fmt::format("{}:--{}", command, name), kind_of(type));
        with_value.push_back("--" + name);
      }
    }
  }
};

Words option_names(const CLI::App &command) {
  Words names;
  for (const CLI::Option *option : command.get_options()) {
    for (const std::string &name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// Functions that set `words` by a variant, or by an op and thus all its variants.
std::string registry_function(const char *name, Words (*words_of)(const Variant &)) {
  std::string text = fmt::format("_switchyard_{}() {{\n  case $1 in\n", name);
  for (const OpTable *op : candidates::ops()) {
    std::set<std::string> of_op;
    for (const Variant &variant : op->variants) {
      const Words words = words_of(variant);
      of_op.insert(words.begin(), words.end());
      if (variant.name != op->name) {
        text += branch(std::string(variant.name), {words, ""});
      }
    }
    text += branch(std::string(op->name), {{of_op.begin(), of_op.end()}, ""});
  }
  return text + "  esac\n}\n";
}

Words dtypes_of(const Variant &variant) {
  Words words;
  for (const DtypeCase &dtype : variant.dtypes) {
    words.emplace_back(dtype.name);
  }
  return words;
}

Words candidates_of(const Variant &variant) {
  Words words;
  for (const Candidate &candidate : variant.candidates) {
    if (candidate.built()) {
      words.emplace_back(candidate.id);
    }
  }
  return words;
}

constexpr std::string_view kHead = R"(# Completes the arguments of switchyard in bash.
# Written by `switchyard completion bash`: put the output into
# ~/.local/share/bash-completion/completions/switchyard, or source it.
)";

// Bash splits --option=value at the sign, so that the option comes two words before the value.
constexpr std::string_view kLogic = R"(
_switchyard() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} words='' files='' op='' place=0 i word
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$_switchyard_commands" -- "$cur")
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case " $_switchyard_with_value " in
    *" $word "*)
      ((++i))
      if [[ ${COMP_WORDS[i]} == '=' ]]; then
        ((++i))
      fi
      ;;
    *)
      if [[ $word != -* ]]; then
        op=${op:-$word}
        ((++place))
      fi
      ;;
    esac
  done
  _switchyard_value "$command:$prev"
  if [[ -z $words$files ]]; then
    if [[ $cur == -* ]]; then
      _switchyard_options "$command"
    else
      _switchyard_positional "$command:$place"
    fi
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  elif [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _switchyard switchyard
)";

std::string function(std::string_view name, const std::string &branches) {
  return fmt::format("_switchyard_{}() {{\n  case $1 in\n{}  esac\n}}\n", name, branches);
}

std::string bash_script(CLI::App &app) {
  Branches all;
  Words commands;
  for (const CLI::App *command : app.get_subcommands({})) {
    commands.push_back(command->get_name());
    int place = 0;
    for (const CLI::Option *option : command->get_options()) {
      all.add(command->get_name(), *option, place);
    }
    all.options += branch(command->get_name(), {option_names(*command), ""});
  }
  const std::set<std::string> with_value(all.with_value.begin(), all.with_value.end());
  return fmt::format("{}_switchyard_commands={}\n_switchyard_with_value={}\n", kHead,
                     quoted(commands), quoted({with_value.begin(), with_value.end()})) +
         registry_function("dtypes", dtypes_of) + registry_function("candidates", candidates_of) +
         function("value", all.values) + function("options", all.options) +
         function("positional", all.positionals) + std::string(kLogic);
}

} // namespace

void add_completion(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("completion", "A script that completes arguments in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash")
      ->required()
      ->check(CLI::IsMember({"bash"}).description(""));
  command->callback([shell, &app] { fmt::print("{}", bash_script(app)); });
}

} // namespace switchyard::cli
