// What ATen says of itself.
#include <string>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/api/include/torch/version.h>

namespace switchyard::candidates::aten {

std::string version() {
  return TORCH_VERSION;
}

// The line of ATen's own report on the vector instructions in use.
std::string capability() {
  const std::string report = at::show_config();
  const std::string label = "CPU capability usage: ";
  const std::size_t at = report.find(label);
  if (at == std::string::npos) {
    return "unknown";
  }
  const std::size_t from = at + label.size();
  return report.substr(from, report.find('\n', from) - from);
}

std::string threads() {
  return std::to_string(at::get_num_threads());
}

} // namespace switchyard::candidates::aten
