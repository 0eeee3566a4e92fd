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

std::string why_not_available(const Variant &variant, const Candidate &candidate) {
  const auto *const end = candidate.exactness.begin() + variant.dtypes.size();
  const bool computes = std::any_of(candidate.exactness.begin(), end, [](Exactness exactness) {
    return exactness != Exactness::unsupported;
  });
  return computes ? why_not_built(candidate) : "computes none of the variant's dtypes";
}

} // namespace switchyard::cli
