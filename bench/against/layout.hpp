// The layout of what a run function reads, as text: one fact per line, "name value".
//
// Compiled on both sides of a comparison, by the same compiler, each with its own revision's core
// headers. A field that a revision does not have reads "none" instead of failing to compile.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "switchyard/core/candidate.hpp"
#include "switchyard/core/dtype.hpp"
#include "switchyard/core/values.hpp"
#include "switchyard/core/view.hpp"

namespace switchyard::against {

inline std::string layout_fact(const std::string &name, std::size_t value) {
  return name + " " + std::to_string(value) + "\n";
}

// Offset and size in bytes of a field: "Call.flags 40+4".
#define SWITCHYARD_FIELD(TYPE, FIELD)                                                              \
  [](auto *none) {                                                                                 \
    using Type = std::remove_pointer_t<decltype(none)>;                                            \
    std::string fact = #TYPE "." #FIELD " ";                                                       \
    if constexpr (requires(Type value) { value.FIELD; }) {                                         \
      fact += std::to_string(offsetof(Type, FIELD)) + "+" + std::to_string(sizeof(Type::FIELD));   \
    } else {                                                                                       \
      fact += "none";                                                                              \
    }                                                                                              \
    return fact + "\n";                                                                            \
  }(static_cast<TYPE *>(nullptr))

inline std::string layout_text() {
  std::string text;
  text += layout_fact("Call", sizeof(Call));
  text += SWITCHYARD_FIELD(Call, in) + SWITCHYARD_FIELD(Call, out) +
          SWITCHYARD_FIELD(Call, params) + SWITCHYARD_FIELD(Call, flags) +
          SWITCHYARD_FIELD(Call, dtype_case);
  text += layout_fact("ConstView", sizeof(ConstView)) + layout_fact("View", sizeof(View));
  text += SWITCHYARD_FIELD(ConstView, data) + SWITCHYARD_FIELD(ConstView, shape) +
          SWITCHYARD_FIELD(ConstView, strides) + SWITCHYARD_FIELD(ConstView, dtype) +
          SWITCHYARD_FIELD(ConstView, rank);
  text += layout_fact("Values", sizeof(Values));
  text += SWITCHYARD_FIELD(Values, data) + SWITCHYARD_FIELD(Values, size);
  text += layout_fact("kInPlace", kInPlace) + layout_fact("kWide", kWide);
  text += layout_fact("faithful", static_cast<std::size_t>(Exactness::faithful));
  text += layout_fact("bitwise", static_cast<std::size_t>(Exactness::bitwise));
  for (int i = 0; i < kDtypeCount; ++i) {
    text += layout_fact("Dtype." + std::string(name_of(static_cast<Dtype>(i))),
                        static_cast<std::size_t>(i));
  }
  return text;
}

#undef SWITCHYARD_FIELD

} // namespace switchyard::against
