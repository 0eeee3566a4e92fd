#include "bench/cli/availability.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "candidates/registry.hpp"

namespace switchyard::cli {

std::string why_not_built(const Candidate &candidate) {
  if (candidate.built()) {
    return "";
  }
  const auto backends = candidates::backends();
  const auto found =
      std::find_if(backends.begin(), backends.end(),
                   [&](const BackendInfo &backend) { return backend.name == candidate.backend; });
  const std::string option(found == backends.end() ? "" : found->option);
  return fmt::format("not in this build: configure with -D{}=ON", option);
}

} // namespace switchyard::cli
