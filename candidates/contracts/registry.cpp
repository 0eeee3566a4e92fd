#include "candidates/contracts/registry.hpp"

namespace switchyard::candidates {

namespace mean_std {
const OpContract &contract();
}
namespace multiply_add {
const OpContract &contract();
}

std::span<const OpContract *const> contracts() {
  static const OpContract *const kContracts[] = {
      &mean_std::contract(),
      &multiply_add::contract(),
  };
  return kContracts;
}

const VariantContract *find_contract(std::string_view variant) {
  for (const OpContract *op : contracts()) {
    for (const VariantContract &contract : op->variants) {
      if (contract.variant == variant) {
        return &contract;
      }
    }
  }
  return nullptr;
}

} // namespace switchyard::candidates
