#include "bench/cli/tunings.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "evidence/evidence.hpp"
#include "tablegen/incumbents.hpp"

namespace switchyard::cli {

Tunings read_tunings(const ProfileSource &source) {
  Tunings tunings;
  for (const std::filesystem::path &folder : source.folders) {
    tablegen::Tuning tuning{evidence::read_profile(folder), tablegen::read_incumbents(folder)};
    const std::string name = tuning.profile.machine.profile;
    if (!tunings.emplace(name, std::move(tuning)).second) {
      throw std::runtime_error(fmt::format("{}: /profile: \"{}\" is that of another folder, too",
                                           (folder / "machine.json").string(), name));
    }
  }
  return tunings;
}

} // namespace switchyard::cli
