// A class, part by part: what lists, labels and JSON print. A further part of ClassKey is one more
// line in parts_of, and appears wherever classes are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tablegen/policy.hpp"

namespace switchyard::tablegen {

struct KeyPart {
  std::string_view name; // "thread_budget"
  std::string text;      // "2"
  std::string label;     // "t2": what tells it from its neighbours in a label; empty: left out
};

[[nodiscard]] std::vector<KeyPart> parts_of(const ClassKey &key);

// "multiply_add/scalar u8 c3 contiguous into t2"
[[nodiscard]] std::string label_of(const ClassKey &key);

// "opencv t2"
[[nodiscard]] std::string label_of(const Alternative &alternative);

} // namespace switchyard::tablegen
