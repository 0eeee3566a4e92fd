#include "evidence/parse.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evidence/evidence.hpp"

namespace switchyard::evidence {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

// A profile's files nest four levels; freeing a tree of a million levels would overflow the stack.
constexpr std::size_t kMaxDepth = 8;

// Follows the parser to know where it is, and stops it early.
class Guard {
public:
  explicit Guard(const Source &source) : source_(source) {}

  bool operator()(Event event, const json &parsed) {
    switch (event) {
    case Event::object_start:
    case Event::array_start:
      open(event == Event::array_start);
      break;
    case Event::key:
      name(parsed.get_ref<const std::string &>());
      break;
    case Event::object_end:
    case Event::array_end:
      levels_.pop_back();
      advance();
      break;
    case Event::value:
      advance();
      break;
    }
    return true;
  }

  [[nodiscard]] std::string pointer() const {
    std::string result;
    for (const Level &level : levels_) {
      result = join_pointer(result, level.array ? std::to_string(level.index) : level.name);
    }
    return result;
  }

private:
  struct Level {
    bool array = false;
    std::size_t index = 0;       // of the element being read
    std::string name;            // of the member being read
    std::set<std::string> names; // seen so far
  };

  void open(bool array) {
    if (levels_.size() == kMaxDepth) {
      source_.fail(pointer(), fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    levels_.push_back({array, 0, {}, {}});
  }

  void name(const std::string &name) {
    Level &level = levels_.back();
    level.name = name;
    if (!level.names.insert(name).second) {
      source_.fail(pointer(), "the name repeats in its object");
    }
  }

  void advance() {
    if (!levels_.empty() && levels_.back().array) {
      ++levels_.back().index;
    }
  }

  const Source &source_;
  std::vector<Level> levels_;
};

// The parser's description without its prefix, which names the library and a line and column.
std::string_view reason_of(const json::exception &error) {
  std::string_view what = error.what();
  for (const std::string_view before : {"] ", ": "}) {
    const std::size_t at = what.find(before);
    what.remove_prefix(at == std::string_view::npos ? 0 : at + before.size());
  }
  return what;
}

std::string wrong_type(const json &value, std::string_view accepted) {
  return fmt::format("is of type {}; accepted: {}", value.type_name(), accepted);
}

} // namespace

std::string join_pointer(std::string_view pointer, std::string_view name) {
  std::string result(pointer);
  result += '/';
  for (const char c : name) {
    result += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return result;
}

json parse_json(std::string_view text, const Source &source) {
  Guard guard(source);
  try {
    return json::parse(
        text, [&guard](int, Event event, const json &parsed) { return guard(event, parsed); });
  } catch (const json::parse_error &error) {
    source.fail("", fmt::format("byte {}: not JSON: {}", error.byte, reason_of(error)));
  } catch (const json::exception &error) {
    source.fail(guard.pointer(), reason_of(error)); // a number beyond every double
  } catch (const std::bad_alloc &) {
    source.fail("", "too large for this machine's memory");
  }
}

Members::Members(const json &object, std::string pointer, const Source &source)
    : object_(object), pointer_(std::move(pointer)), source_(source) {
  if (!object.is_object()) {
    source.fail(pointer_, wrong_type(object, "object"));
  }
}

std::string Members::pointer(std::string_view name) const {
  return join_pointer(pointer_, name);
}

void Members::fail(std::string_view name, std::string_view what) const {
  source_.fail(pointer(name), what);
}

void Members::fail_in(std::string_view name, std::size_t index, std::string_view what) const {
  source_.fail(fmt::format("{}/{}", pointer(name), index), what);
}

const json &Members::at(std::string_view name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    fail(name, "missing");
  }
  return *found;
}

const std::string &Members::text(std::string_view name) const {
  const json &value = at(name);
  if (!value.is_string()) {
    fail(name, wrong_type(value, "string"));
  }
  return value.get_ref<const std::string &>();
}

int Members::integer(std::string_view name) const {
  const json &value = at(name);
  if (!value.is_number_integer()) {
    fail(name, wrong_type(value, "integer"));
  }
  // Compared as doubles: the value may lie beyond every signed type.
  if (value.get<double>() < 0 || value.get<double>() > std::numeric_limits<int>::max()) {
    fail(name, "out of range");
  }
  return value.get<int>();
}

std::int64_t Members::whole(std::string_view name) const {
  const json &value = at(name);
  if (!value.is_number_integer()) {
    fail(name, wrong_type(value, "integer"));
  }
  constexpr double kMost = 9e15; // exact in every JSON reader
  if (value.get<double>() < 0 || value.get<double>() > kMost) {
    fail(name, "out of range");
  }
  return value.get<std::int64_t>();
}

double Members::number(std::string_view name) const {
  const json &value = at(name);
  if (!value.is_number()) {
    fail(name, wrong_type(value, "number"));
  }
  return value.get<double>();
}

const json &Members::array(std::string_view name) const {
  const json &value = at(name);
  if (!value.is_array()) {
    fail(name, wrong_type(value, "array"));
  }
  return value;
}

void Members::allow_only(std::initializer_list<std::string_view> names) const {
  for (const auto &[name, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail(name, "unknown field");
    }
  }
}

} // namespace switchyard::evidence
