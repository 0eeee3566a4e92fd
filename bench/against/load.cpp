#include "bench/against/load.hpp"

#include <map>

#include <dlfcn.h>
#include <fmt/format.h>

#include "bench/against/build.hpp"
#include "bench/against/layout.hpp"

namespace switchyard::against {
namespace {

using Facts = std::map<std::string_view, std::string_view>;

Facts facts_of(std::string_view text) {
  Facts facts;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t blank = line.find(' ');
    facts[line.substr(0, blank)] =
        blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return facts;
}

std::string_view value_in(const Facts &facts, std::string_view name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "none" : found->second;
}

} // namespace

std::string layout_difference(std::string_view here, std::string_view there) {
  const Facts ours = facts_of(here);
  const Facts theirs = facts_of(there);
  Facts all = ours;
  all.insert(theirs.begin(), theirs.end());
  for (const auto &[name, _] : all) {
    const std::string_view our_value = value_in(ours, name);
    const std::string_view their_value = value_in(theirs, name);
    if (our_value != their_value) {
      return fmt::format("{} is {} here, {} there", name, our_value, their_value);
    }
  }
  return {};
}

const ModuleTable &load_module(const std::filesystem::path &file, const std::string &name) {
  // Local: the module offers nothing to others. Its own references were bound when it was linked,
  // so RTLD_DEEPBIND, which sanitizers do not survive, is not needed.
  void *module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (module == nullptr) {
    throw AgainstError(fmt::format("--against {}: {}; delete the file to build it anew", name,
                                   dlerror())); // names the file
  }
  auto *entry = reinterpret_cast<ModuleEntry *>(dlsym(module, kModuleEntry));
  if (entry == nullptr) {
    throw AgainstError(
        fmt::format("--against {}: {} is no module of candidates", name, file.string()));
  }
  const ModuleTable &table = *entry();
  const std::string difference = layout_difference(layout_text(), table.layout);
  if (!difference.empty()) {
    throw AgainstError(
        fmt::format("--against {}: calls are laid out differently: {}", name, difference));
  }
  return table;
}

} // namespace switchyard::against
