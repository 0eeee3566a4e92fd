#include "candidates/registry.hpp"

#include "candidates/common/built.hpp"
#include "candidates/config.hpp"

namespace switchyard::candidates {

// Each op defines its own.
namespace add {
const OpTable &table();
}
namespace add_weighted {
const OpTable &table();
}
namespace bincount {
const OpTable &table();
}
namespace clip {
const OpTable &table();
}
namespace exp {
const OpTable &table();
}
namespace from_float {
const OpTable &table();
}
namespace hflip {
const OpTable &table();
}
namespace histogram {
const OpTable &table();
}
namespace log {
const OpTable &table();
}
namespace lut {
const OpTable &table();
}
namespace matmul {
const OpTable &table();
}
namespace mean {
const OpTable &table();
}
namespace mean_std {
const OpTable &table();
}
namespace min_max {
const OpTable &table();
}
namespace multiply {
const OpTable &table();
}
namespace multiply_add {
const OpTable &table();
}
namespace normalize {
const OpTable &table();
}
namespace normalize_per_image {
const OpTable &table();
}
namespace pairwise_distances_squared {
const OpTable &table();
}
namespace power {
const OpTable &table();
}
namespace reduce_sum {
const OpTable &table();
}
namespace rot90 {
const OpTable &table();
}
namespace sqrt {
const OpTable &table();
}
namespace standard_deviation {
const OpTable &table();
}
namespace to_float {
const OpTable &table();
}
namespace transpose {
const OpTable &table();
}
namespace vflip {
const OpTable &table();
}

std::span<const OpTable *const> ops() {
  static const OpTable *const kOps[] = {
      &add::table(),
      &add_weighted::table(),
      &bincount::table(),
      &clip::table(),
      &exp::table(),
      &from_float::table(),
      &hflip::table(),
      &histogram::table(),
      &log::table(),
      &lut::table(),
      &matmul::table(),
      &mean::table(),
      &mean_std::table(),
      &min_max::table(),
      &multiply::table(),
      &multiply_add::table(),
      &normalize::table(),
      &normalize_per_image::table(),
      &pairwise_distances_squared::table(),
      &power::table(),
      &reduce_sum::table(),
      &rot90::table(),
      &sqrt::table(),
      &standard_deviation::table(),
      &to_float::table(),
      &transpose::table(),
      &vflip::table(),
  };
  return kOps;
}

const Variant *find_variant(std::string_view name) {
  for (const OpTable *op : ops()) {
    for (const Variant &variant : op->variants) {
      if (variant.name == name) {
        return &variant;
      }
    }
  }
  return nullptr;
}

namespace fused {
std::string version();
std::string capability();
} // namespace fused
namespace opencv {
std::string version();
std::string capability();
std::string threads();
} // namespace opencv
namespace aten {
std::string version();
std::string capability();
std::string threads();
} // namespace aten
namespace numkong {
std::string version();
std::string capability();
} // namespace numkong
namespace stringzilla {
std::string version();
std::string capability();
} // namespace stringzilla

std::span<const BackendInfo> backends() {
  using namespace config;
  static const BackendInfo kBackends[] = {
      {"loop", true, "", nullptr, nullptr, nullptr},
      {"fused", true, "", fused::version, fused::capability, nullptr},
      {"lut", true, "", nullptr, nullptr, nullptr},
      {"opencv", kOpencv, "SWITCHYARD_WITH_OPENCV", built<kOpencv, opencv::version>(),
       built<kOpencv, opencv::capability>(), built<kOpencv, opencv::threads>()},
      {"aten", kAten, "SWITCHYARD_WITH_ATEN", built<kAten, aten::version>(),
       built<kAten, aten::capability>(), built<kAten, aten::threads>()},
      {"numkong", kNumkong, "SWITCHYARD_WITH_NUMKONG", built<kNumkong, numkong::version>(),
       built<kNumkong, numkong::capability>(), nullptr},
      {"stringzilla", kStringzilla, "SWITCHYARD_WITH_STRINGZILLA",
       built<kStringzilla, stringzilla::version>(), built<kStringzilla, stringzilla::capability>(),
       nullptr},
  };
  return kBackends;
}

} // namespace switchyard::candidates
