#include "candidates/contracts/registry.hpp"

namespace switchyard::candidates {

// Each op defines its own.
namespace add_weighted {
const OpContract &contract();
}
namespace hflip {
const OpContract &contract();
}
namespace lut {
const OpContract &contract();
}
namespace mean_std {
const OpContract &contract();
}
namespace multiply_add {
const OpContract &contract();
}
namespace normalize {
const OpContract &contract();
}

std::span<const OpContract *const> contracts() {
  static const OpContract *const kContracts[] = {
      &add_weighted::contract(), &hflip::contract(),        &lut::contract(),
      &mean_std::contract(),     &multiply_add::contract(), &normalize::contract(),
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
