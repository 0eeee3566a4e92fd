// Results that NumPy computed by the rules of docs/contracts.md (scripts/make_golden.py), against
// the routed call of every op and against every candidate that takes the call.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/conformance/conformance.hpp"
#include "candidates/registry.hpp"
#include "switchyard/switchyard.hpp"
#include "tests/npy.hpp"

using namespace switchyard;
using nlohmann::json;

namespace {

const std::string kFolder = std::string(SWITCHYARD_SOURCE_DIR) + "/tests/golden/";

// ---- the files

const json &manifest() {
  static const json kManifest = json::parse(std::ifstream(kFolder + "cases.json"));
  return kManifest;
}

// The array at a [file, offset, shape].
ConstView view_at(const json &place) {
  static std::map<std::string, npy::Array> files; // views into it stay valid
  const std::string name = place.at(0);
  auto found = files.find(name);
  if (found == files.end()) {
    found = files.emplace(name, npy::read(kFolder + name)).first;
  }
  const npy::Array &file = found->second;
  const auto at = place.at(1).get<std::int64_t>();
  const auto extents = place.at(2).get<std::vector<std::int64_t>>();
  Extents shape{1, 1, 1, 1};
  std::copy(extents.begin(), extents.end(), shape.end() - static_cast<int>(extents.size()));
  const std::int64_t size = size_of(file.dtype);
  REQUIRE(at + element_count(shape) <= file.shape.at(0));
  return {file.bytes.data() + at * size, shape, contiguous_strides(shape, size), file.dtype,
          static_cast<std::uint8_t>(extents.size())};
}

double number(const json &value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

struct Case {
  const json &entry;
  std::vector<ConstView> in;
  Options options;

  [[nodiscard]] const json &param(const char *name) const { return entry.at("params").at(name); }
  [[nodiscard]] bool has(const char *name) const { return entry.at("params").contains(name); }
  [[nodiscard]] bool is_array(const char *name) const { return param(name).is_number_integer(); }
  // Of an operand that is an array: the input that holds it.
  [[nodiscard]] ArrayOperand array(const char *name) const {
    return in.at(param(name).get<std::size_t>());
  }
  [[nodiscard]] std::vector<double> numbers(const char *name) const {
    std::vector<double> values;
    for (const json &value : param(name)) {
      values.push_back(number(value));
    }
    return values;
  }
  [[nodiscard]] std::optional<double> optional(const char *name) const {
    return has(name) ? std::optional(numbers(name).at(0)) : std::nullopt;
  }
  [[nodiscard]] std::string text(const char *name) const { return param(name); }
};

using Results = std::vector<Image>;
template <class... Images> Results results(Images &&...images) {
  Results list;
  (list.push_back(std::forward<Images>(images)), ...);
  return list;
}

// ---- comparison

template <class T> T element(const ConstView &view, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const T *>(view.data) + i, sizeof value);
  return value;
}

template <class T> bool same_bits(T a, T b) {
  using Bytes = std::array<std::byte, sizeof(T)>;
  return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
}
template <class T> bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

// Steps from one number to the next; both zeros are one.
template <class T> std::int64_t ordered(T value) {
  if constexpr (std::is_same_v<T, float>) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? -std::int64_t{bits & 0x7FFFFFFF} : bits;
  } else {
    return static_cast<std::int64_t>(value);
  }
}

std::int64_t steps_at(const json &limit, std::int64_t i) {
  if (limit.is_number()) {
    return limit.get<std::int64_t>();
  }
  const ConstView view = view_at(limit);
  return view.dtype == Dtype::u8 ? element<std::uint8_t>(view, i) : element<std::uint16_t>(view, i);
}

// Whether a call that needs not be bitwise may give `actual` at index i.
template <class T>
bool within(const Case &c, std::size_t which, std::int64_t i, T expected, T actual) {
  if (is_nan(expected) || is_nan(actual)) {
    return is_nan(expected) && is_nan(actual);
  }
  const json &limits = c.entry.at("within").at(which);
  if (c.entry.at("compare") == "bounds") {
    const auto low = element<T>(view_at(limits.at(0)), i);
    const auto high = element<T>(view_at(limits.at(1)), i);
    return low <= actual && actual <= high;
  }
  const std::int64_t distance = ordered(actual) - ordered(expected);
  return distance < 0 ? -distance <= steps_at(limits.at(0), i)
                      : distance <= steps_at(limits.at(1), i);
}

template <class T>
void compare_elements(const Case &c, std::size_t which, const ConstView &expected,
                      const ConstView &actual) {
  const std::string how = c.entry.at("compare");
  const bool exact = c.options.exactness == Exactness::bitwise || how == "exact";
  std::int64_t wrong = 0;
  std::ostringstream message;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const T want = element<T>(expected, i);
    const T got = element<T>(actual, i);
    const bool right = same_bits(want, got) ||
                       (how != "identical" && is_nan(want) && is_nan(got)) ||
                       (how != "identical" && !exact && within(c, which, i, want, got));
    if (!right && ++wrong <= 3) {
      message << "element " << i << ": " << +got << " instead of " << +want << "; ";
    }
  }
  INFO("result " << which << " " << message.str());
  CHECK(wrong == 0);
}

void compare(const Case &c, std::size_t which, const ConstView &actual) {
  const ConstView expected = view_at(c.entry.at("expected").at(which));
  REQUIRE(actual.dtype == expected.dtype);
  REQUIRE(actual.shape == expected.shape);
  switch (expected.dtype) {
  case Dtype::u8:
    return compare_elements<std::uint8_t>(c, which, expected, actual);
  case Dtype::u16:
    return compare_elements<std::uint16_t>(c, which, expected, actual);
  case Dtype::i32:
    return compare_elements<std::int32_t>(c, which, expected, actual);
  case Dtype::u64:
    return compare_elements<std::uint64_t>(c, which, expected, actual);
  case Dtype::f32:
    return compare_elements<float>(c, which, expected, actual);
  case Dtype::f64:
    return compare_elements<double>(c, which, expected, actual);
  default:
    FAIL("no op gives " << std::string(name_of(expected.dtype)));
  }
}

// ---- calls

using Op = std::function<Results(const Case &)>;

// False where the candidate refuses the call.
bool compare_call(const Op &op, const Case &c) {
  INFO(std::string(c.options.candidate.empty() ? "routed" : c.options.candidate)
       << ", " << std::string(name_of(c.options.exactness)));
  Results actual;
  try {
    actual = op(c);
  } catch (const Error &error) {
    INFO(error.what());
    REQUIRE(error.argument() == "candidate");
    REQUIRE_FALSE(c.options.candidate.empty());
    return false;
  }
  REQUIRE(actual.size() == c.entry.at("expected").size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    compare(c, i, actual[i]);
  }
  return true;
}

Rounding rounding_of(const Case &c) {
  for (const Rounding rounding : {Rounding::truncate, Rounding::half_even, Rounding::half_up}) {
    if (c.has("rounding") && c.text("rounding") == name_of(rounding)) {
      return rounding;
    }
  }
  return Rounding::by_op;
}

// One case by the route and by every candidate, as an ordinary and as a bitwise call. The ids of
// the candidates that took it go to `taken`.
void check_case(const Op &op, const json &entry, std::set<std::string> &taken) {
  const std::string variant = entry.at("variant");
  INFO(variant << " " << entry.at("name").get<std::string>());
  Case c{entry, {}, {}};
  for (const std::string name : entry.at("inputs")) {
    c.in.push_back(view_at(manifest().at("inputs").at(name)));
  }
  c.options.rounding = rounding_of(c);
  const std::vector<std::string_view> candidates = candidates_of(variant);
  REQUIRE_FALSE(candidates.empty());
  for (const Exactness exactness : {Exactness::faithful, Exactness::bitwise}) {
    c.options.exactness = exactness;
    c.options.candidate = {};
    CHECK(compare_call(op, c));
    CHECK(last_route().variant == variant);
    conformance::for_each_simd_target([&](const std::string &target) {
      INFO(target);
      for (const std::string_view candidate : candidates) {
        c.options.candidate = candidate;
        const bool took = compare_call(op, c);
        CHECK((took || candidate != "loop"));
        if (took) {
          taken.emplace(candidate);
        }
      }
    });
  }
}

// Whether every candidate of this build took a case of the op, in one of its variants at least.
void check_taken(const OpTable &table, const std::set<std::string> &taken) {
  for (const Variant &variant : table.variants) {
    for (const Candidate &candidate : variant.candidates) {
      const bool computes = std::any_of(candidate.exactness.begin(), candidate.exactness.end(),
                                        [](Exactness e) { return e != Exactness::unsupported; });
      INFO(std::string(variant.name) << " " << std::string(candidate.id));
      CHECK((!candidate.built() || !computes || taken.count(std::string(candidate.id)) == 1));
    }
  }
}

// Every case of the op; they are at least so many. Every candidate takes one of them.
void check_op(const std::string &name, int least, const Op &op) {
  std::set<std::string> taken;
  int cases = 0;
  for (const json &entry : manifest().at("cases")) {
    const std::string variant = entry.at("variant");
    if (variant.substr(0, variant.find('/')) == name) {
      check_case(op, entry, taken);
      ++cases;
    }
  }
  CHECK(cases >= least);
  for (const OpTable *table : candidates::ops()) {
    if (table->name == name) {
      check_taken(*table, taken);
    }
  }
}

// Calls f(operand) with the operand as its case has it: an array or numbers.
template <class F> auto with_operand(const Case &c, const char *name, F &&f) {
  if (c.is_array(name)) {
    return f(c.array(name));
  }
  const std::vector<double> values = c.numbers(name);
  return f(Parameter(values));
}

Reduction reduction_of(const Case &c) {
  const std::string over = c.text("over");
  if (over == "global" || over == "per_channel" || over == "per_item") {
    return over == "global"     ? Over::global
           : over == "per_item" ? Over::per_item
                                : Over::per_channel;
  }
  Axes axes{};
  for (const char axis : over) {
    axes.add(static_cast<Axis>(std::string("XHWC").find(axis)));
  }
  return axes;
}

Dtype result_dtype(const Case &c) {
  const std::string name = c.text("dtype");
  return name == "u8" ? Dtype::u8 : name == "u16" ? Dtype::u16 : Dtype::f32;
}

BincountOptions bins_of(const Case &c) {
  BincountOptions bins;
  bins.min_length = c.param("min_length");
  if (c.has("ignore_label")) {
    bins.ignore_label = c.param("ignore_label").get<std::int64_t>();
  }
  return bins;
}

// ---- the ops

TEST_CASE("golden add") {
  check_op("add", 20, [](const Case &c) {
    return with_operand(c, "value",
                        [&](const auto &value) { return results(add(c.in[0], value, c.options)); });
  });
}

TEST_CASE("golden multiply") {
  check_op("multiply", 20, [](const Case &c) {
    return with_operand(c, "factor", [&](const auto &factor) {
      return results(multiply(c.in[0], factor, c.options));
    });
  });
}

TEST_CASE("golden multiply_add") {
  check_op("multiply_add", 20, [](const Case &c) {
    return with_operand(c, "factor", [&](const auto &factor) {
      return with_operand(c, "value", [&](const auto &value) {
        return results(multiply_add(c.in[0], factor, value, c.options));
      });
    });
  });
}

TEST_CASE("golden power") {
  check_op("power", 20, [](const Case &c) {
    return with_operand(c, "exponent", [&](const auto &exponent) {
      return results(power(c.in[0], exponent, c.options));
    });
  });
}

TEST_CASE("golden add_weighted") {
  check_op("add_weighted", 12, [](const Case &c) {
    return results(add_weighted(c.in[0], c.numbers("weight_a").at(0), c.in[1],
                                c.numbers("weight_b").at(0), c.options));
  });
}

TEST_CASE("golden normalize") {
  check_op("normalize", 11, [](const Case &c) {
    return results(normalize(c.in[0], c.numbers("mean"), c.numbers("scale"), c.options));
  });
}

TEST_CASE("golden exp") {
  check_op("exp", 2, [](const Case &c) { return results(exp(c.in[0], c.options)); });
}

TEST_CASE("golden log") {
  check_op("log", 2, [](const Case &c) { return results(log(c.in[0], c.options)); });
}

TEST_CASE("golden sqrt") {
  check_op("sqrt", 2, [](const Case &c) { return results(sqrt(c.in[0], c.options)); });
}

TEST_CASE("golden to_float") {
  check_op("to_float", 5, [](const Case &c) {
    return results(to_float(c.in[0], c.optional("max_value"), c.options));
  });
}

TEST_CASE("golden from_float") {
  check_op("from_float", 13, [](const Case &c) {
    return results(from_float(c.in[0], result_dtype(c), c.optional("max_value"), c.options));
  });
}

TEST_CASE("golden clip") {
  check_op("clip", 15, [](const Case &c) {
    Image result(c.in[0].shape, result_dtype(c), c.in[0].rank);
    clip(c.in[0], c.numbers("low"), c.numbers("high"), result, c.options);
    return results(std::move(result));
  });
}

TEST_CASE("golden lut") {
  check_op("lut", 4, [](const Case &c) { return results(lut(c.in[0], c.in[1], c.options)); });
}

TEST_CASE("golden hflip") {
  check_op("hflip", 5, [](const Case &c) { return results(hflip(c.in[0], c.options)); });
}

TEST_CASE("golden vflip") {
  check_op("vflip", 5, [](const Case &c) { return results(vflip(c.in[0], c.options)); });
}

TEST_CASE("golden transpose") {
  check_op("transpose", 5, [](const Case &c) { return results(transpose(c.in[0], c.options)); });
}

TEST_CASE("golden rot90") {
  check_op("rot90", 10, [](const Case &c) {
    return results(rot90(c.in[0], c.param("k").get<int>(), c.options));
  });
}

TEST_CASE("golden matmul") {
  check_op("matmul", 7, [](const Case &c) { return results(matmul(c.in[0], c.in[1], c.options)); });
}

TEST_CASE("golden pairwise_distances_squared") {
  check_op("pairwise_distances_squared", 4, [](const Case &c) {
    return results(pairwise_distances_squared(c.in[0], c.in[1], c.options));
  });
}

TEST_CASE("golden reduce_sum") {
  check_op("reduce_sum", 15,
           [](const Case &c) { return results(reduce_sum(c.in[0], reduction_of(c), c.options)); });
}

TEST_CASE("golden mean") {
  check_op("mean", 15,
           [](const Case &c) { return results(mean(c.in[0], reduction_of(c), c.options)); });
}

TEST_CASE("golden std") {
  check_op("std", 15, [](const Case &c) {
    return results(switchyard::std(c.in[0], reduction_of(c), c.numbers("eps").at(0), c.options));
  });
}

TEST_CASE("golden mean_std") {
  check_op("mean_std", 15, [](const Case &c) {
    MeanStd pair = mean_std(c.in[0], reduction_of(c), c.numbers("eps").at(0), c.options);
    return results(std::move(pair.mean), std::move(pair.std));
  });
}

TEST_CASE("golden min_max") {
  check_op("min_max", 15, [](const Case &c) {
    MinMax pair = min_max(c.in[0], reduction_of(c), c.options);
    return results(std::move(pair.min), std::move(pair.max));
  });
}

TEST_CASE("golden normalize_per_image") {
  check_op("normalize_per_image", 20, [](const Case &c) {
    constexpr std::string_view kModes[] = {"image", "image_per_channel", "min_max",
                                           "min_max_per_channel"};
    std::size_t mode = 0;
    while (kModes[mode] != c.text("mode")) {
      ++mode;
    }
    return results(normalize_per_image(c.in[0], static_cast<Normalization>(mode),
                                       c.param("per_item").get<bool>(), c.options));
  });
}

TEST_CASE("golden histogram") {
  check_op("histogram", 6, [](const Case &c) {
    const std::string variant = c.entry.at("variant");
    const Over over =
        variant.find("per_channel") != std::string::npos ? Over::per_channel : Over::global;
    return results(c.in.size() == 2 ? histogram(c.in[0], c.in[1], over, c.options)
                                    : histogram(c.in[0], over, c.options));
  });
}

TEST_CASE("golden bincount") {
  check_op("bincount", 20, [](const Case &c) {
    return results(c.in.size() == 2 ? bincount_weights(c.in[0], c.in[1], bins_of(c), c.options)
                                    : bincount(c.in[0], bins_of(c), c.options));
  });
}

TEST_CASE("golden results are there for every op") {
  for (const OpTable *table : candidates::ops()) {
    const json &cases = manifest().at("cases");
    for (const Variant &variant : table->variants) {
      INFO(std::string(variant.name));
      CHECK(std::any_of(cases.begin(), cases.end(), [&](const json &entry) {
        return entry.at("variant").get<std::string>() == variant.name;
      }));
    }
  }
}

TEST_CASE("a broken array file is an error") {
  CHECK_THROWS_WITH(npy::read(kFolder + "none.npy"), Catch::Contains("none.npy"));
  CHECK_THROWS_WITH(npy::read(kFolder + "cases.json"), Catch::Contains("format"));
}

} // namespace
