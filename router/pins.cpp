#include "router/pins.hpp"

#include <algorithm>
#include <string>

#include "switchyard/core/error.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kPin = "SWITCHYARD_PIN";

// Where a pin cannot apply, the error says what could.
[[noreturn]] void refuse(const Variant &variant, std::string_view argument, std::string_view id,
                         std::string_view why) {
  std::string built;
  for (const Candidate &candidate : variant.candidates) {
    if (candidate.built()) {
      built += built.empty() ? "" : ", ";
      built += candidate.id;
    }
  }
  throw Error(variant.name, argument, shown(id) + " (" + std::string(why) + ")", built);
}

std::string names_of(std::span<const Variant *const> variants) {
  std::string names;
  for (const Variant *variant : variants) {
    names += names.empty() ? "" : ", ";
    names += variant->name;
  }
  return names;
}

void add_pin(std::string_view pin, std::span<const Variant *const> variants, Pins &pins) {
  const std::size_t equals = pin.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == pin.size()) {
    throw Error("environment", kPin, "\"" + shown(pin) + "\"",
                "variant=candidate[,variant=candidate...]");
  }
  const std::string_view name = pin.substr(0, equals);
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant *variant) { return variant->name == name; });
  if (found == variants.end()) {
    throw Error("environment", kPin, "the unknown variant " + shown(name), names_of(variants));
  }
  const Candidate *&place = pins[static_cast<std::size_t>(found - variants.begin())];
  if (place != nullptr) {
    throw Error(name, kPin, "the variant twice", "one candidate");
  }
  place = &pinned_candidate(**found, pin.substr(equals + 1), kPin);
}

} // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string result(text.substr(0, kMost));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMost ? result + "..." : result;
}

const Candidate &pinned_candidate(const Variant &variant, std::string_view id,
                                  std::string_view argument) {
  for (const Candidate &candidate : variant.candidates) {
    if (candidate.id == id) {
      if (!candidate.built()) {
        refuse(variant, argument, id, "not in this build");
      }
      return candidate;
    }
  }
  refuse(variant, argument, id, "unknown");
}

Decision apply_pin(const Variant &variant, const Candidate &candidate, std::string_view argument,
                   const Call &call, int threads, Exactness exactness) {
  if (const char *reason = candidate.refuses(call)) {
    refuse(variant, argument, candidate.id, reason);
  }
  if (candidate.exactness[call.dtype_case] < exactness) {
    refuse(variant, argument, candidate.id, "not bitwise");
  }
  return {&candidate, threads, Grade::pinned};
}

Pins parse_pins(std::string_view text, std::span<const OpTable *const> ops) {
  std::vector<const Variant *> variants;
  for (const OpTable *op : ops) {
    for (const Variant &variant : op->variants) {
      variants.push_back(&variant);
    }
  }
  if (text.empty()) {
    return {};
  }
  Pins pins(variants.size(), nullptr);
  while (true) {
    const std::size_t comma = text.find(',');
    add_pin(text.substr(0, comma), variants, pins);
    if (comma == std::string_view::npos) {
      return pins;
    }
    text.remove_prefix(comma + 1);
  }
}

} // namespace switchyard
