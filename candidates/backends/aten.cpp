// What ATen says of itself.
#include <string>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/native/DispatchStub.h>
#include <torch/csrc/api/include/torch/version.h>

namespace switchyard::candidates::aten {

std::string version() {
  return TORCH_VERSION;
}

std::string capability() {
  switch (at::native::get_cpu_capability()) {
#if defined(__x86_64__)
  case at::native::CPUCapability::AVX2:
    return "AVX2";
  case at::native::CPUCapability::AVX512:
    return "AVX512";
#endif
  default:
    return "default";
  }
}

std::string threads() {
  return std::to_string(at::get_num_threads());
}

} // namespace switchyard::candidates::aten
