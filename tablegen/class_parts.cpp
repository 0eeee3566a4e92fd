#include "tablegen/class_parts.hpp"

#include <fmt/format.h>

namespace switchyard::tablegen {
namespace {

KeyPart part(std::string_view name, std::string text, std::string_view mark = "") {
  std::string label = std::string(mark) + text;
  return {name, std::move(text), std::move(label)};
}

} // namespace

std::vector<KeyPart> parts_of(const ClassKey &key) {
  return {
      part("variant", key.variant),
      part("dtype", key.dtype),
      part("channels", std::to_string(key.channels), "c"),
      part("layout", std::string(name_of(key.layout))),
      part("output", std::string(name_of(key.output))),
      part("thread_budget", std::to_string(key.thread_budget), "t"),
      part("op_class", key.op_class),
  };
}

std::string label_of(const ClassKey &key) {
  std::string label;
  for (const KeyPart &part : parts_of(key)) {
    if (!part.label.empty()) {
      label += (label.empty() ? "" : " ") + part.label;
    }
  }
  return label;
}

std::string label_of(const Alternative &alternative) {
  return fmt::format("{} t{}", alternative.candidate, alternative.threads);
}

} // namespace switchyard::tablegen
