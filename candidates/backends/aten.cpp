// What ATen says of itself.
#include <string>
#include <string_view>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/api/include/torch/version.h>

namespace switchyard::candidates::aten {

std::string version() {
  return TORCH_VERSION;
}

// The library does not export the function that would say so; its description of itself does.
std::string capability() {
  constexpr std::string_view kLabel = "CPU capability usage: ";
  const std::string description = at::show_config();
  const std::size_t label = description.find(kLabel);
  if (label == std::string::npos) {
    return "unknown";
  }
  const std::size_t from = label + kLabel.size();
  return description.substr(from, description.find('\n', from) - from);
}

std::string threads() {
  return std::to_string(at::get_num_threads());
}

} // namespace switchyard::candidates::aten
