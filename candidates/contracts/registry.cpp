#include "candidates/contracts/registry.hpp"

namespace switchyard::candidates {

// Each op defines its own.
namespace add {
const OpContract &contract();
}
namespace add_weighted {
const OpContract &contract();
}
namespace bincount {
const OpContract &contract();
}
namespace clip {
const OpContract &contract();
}
namespace exp {
const OpContract &contract();
}
namespace from_float {
const OpContract &contract();
}
namespace hflip {
const OpContract &contract();
}
namespace histogram {
const OpContract &contract();
}
namespace log {
const OpContract &contract();
}
namespace lut {
const OpContract &contract();
}
namespace matmul {
const OpContract &contract();
}
namespace mean {
const OpContract &contract();
}
namespace mean_std {
const OpContract &contract();
}
namespace min_max {
const OpContract &contract();
}
namespace multiply {
const OpContract &contract();
}
namespace multiply_add {
const OpContract &contract();
}
namespace normalize {
const OpContract &contract();
}
namespace normalize_per_image {
const OpContract &contract();
}
namespace pairwise_distances_squared {
const OpContract &contract();
}
namespace power {
const OpContract &contract();
}
namespace reduce_sum {
const OpContract &contract();
}
namespace rot90 {
const OpContract &contract();
}
namespace sqrt {
const OpContract &contract();
}
namespace standard_deviation {
const OpContract &contract();
}
namespace to_float {
const OpContract &contract();
}
namespace transpose {
const OpContract &contract();
}
namespace vflip {
const OpContract &contract();
}

std::span<const OpContract *const> contracts() {
  static const OpContract *const kContracts[] = {
      &add::contract(),
      &add_weighted::contract(),
      &bincount::contract(),
      &clip::contract(),
      &exp::contract(),
      &from_float::contract(),
      &hflip::contract(),
      &histogram::contract(),
      &log::contract(),
      &lut::contract(),
      &matmul::contract(),
      &mean::contract(),
      &mean_std::contract(),
      &min_max::contract(),
      &multiply::contract(),
      &multiply_add::contract(),
      &normalize::contract(),
      &normalize_per_image::contract(),
      &pairwise_distances_squared::contract(),
      &power::contract(),
      &reduce_sum::contract(),
      &rot90::contract(),
      &sqrt::contract(),
      &standard_deviation::contract(),
      &to_float::contract(),
      &transpose::contract(),
      &vflip::contract(),
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
