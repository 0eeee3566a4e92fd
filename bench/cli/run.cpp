// switchyard run: one routed op on a picture.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cli/commands.hpp"
#include "bench/cli/picture.hpp"
#include "switchyard/switchyard.hpp"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

// Parameters by name, as given with --param or else by default.
class Arguments {
public:
  void set(const std::string &name, const std::string &value) { values_[name] = value; }
  [[nodiscard]] const std::string &text(const std::string &name) const { return values_.at(name); }
  [[nodiscard]] bool knows(const std::string &name) const { return values_.count(name) != 0; }

  // Comma-separated numbers.
  [[nodiscard]] std::vector<double> numbers(const std::string &name) const {
    std::vector<double> numbers;
    const std::string &list = text(name);
    const char *at = list.data();
    const char *end = at + list.size();
    while (true) {
      double value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc() || (next != end && *next != ',')) {
        throw std::invalid_argument(
            fmt::format("--param {}={}: not a list of numbers", name, list));
      }
      numbers.push_back(value);
      if (next == end) {
        return numbers;
      }
      at = next + 1;
    }
  }
  [[nodiscard]] double number(const std::string &name) const {
    const std::vector<double> list = numbers(name);
    if (list.size() != 1) {
      throw std::invalid_argument("--param " + name + "=" + text(name) + ": one number expected");
    }
    return list.front();
  }

private:
  std::map<std::string, std::string> values_;
};

struct Outcome {
  Image image; // empty for statistics
  Json statistics;
};

// An op as this command offers it: its parameters with defaults, and the call.
struct Runner {
  std::string_view op;
  std::vector<std::pair<std::string, std::string>> defaults;
  Outcome (*run)(const Image &image, const Arguments &arguments, const Options &options);
};

Image table_from(const std::string &text) {
  Image table({1, 1, 256, 1}, Dtype::u8);
  auto *entries = table.data<std::uint8_t>();
  double gamma = 0;
  const char *end = text.data() + text.size();
  if (text.starts_with("gamma:")) {
    const auto [next, error] = std::from_chars(text.data() + 6, end, gamma);
    if (error != std::errc() || next != end || !std::isfinite(gamma)) {
      gamma = 0;
    }
  }
  if (gamma > 0) {
    for (int i = 0; i < 256; ++i) {
      entries[i] = static_cast<std::uint8_t>(std::lrint(255 * std::pow(i / 255.0, gamma)));
    }
    return table;
  }
  if (text != "invert") {
    throw std::invalid_argument("--param table=" + text +
                                ": invert or gamma:NUMBER, above 0, expected");
  }
  for (int i = 0; i < 256; ++i) {
    entries[i] = static_cast<std::uint8_t>(255 - i);
  }
  return table;
}

int whole_number(const Arguments &arguments, const std::string &name) {
  const double number = arguments.number(name);
  if (number != std::trunc(number) || std::fabs(number) > 1e9) {
    throw std::invalid_argument("--param " + name + "=" + arguments.text(name) +
                                ": a whole number expected");
  }
  return static_cast<int>(number);
}

Reduction reduction_of(const Arguments &arguments) {
  const std::string &over = arguments.text("over");
  if (over == "global") {
    return Over::global;
  }
  if (over == "per_channel") {
    return Over::per_channel;
  }
  if (over == "per_item") {
    return Over::per_item;
  }
  Axes axes{};
  for (const char letter : over) {
    const std::size_t axis = std::string_view("xhwc").find(letter);
    if (axis == std::string_view::npos) {
      throw std::invalid_argument("--param over=" + over +
                                  ": global, per_channel, per_item or letters of xhwc expected");
    }
    axes.add(static_cast<Axis>(axis));
  }
  return axes;
}

Over over_of(const Arguments &arguments) {
  const bool global = arguments.text("over") == "global";
  if (!global && arguments.text("over") != "per_channel") {
    throw std::invalid_argument("--param over=" + arguments.text("over") +
                                ": global or per_channel expected");
  }
  return global ? Over::global : Over::per_channel;
}

// The numbers of a result, or, of a large one, its shape and first numbers.
Json numbers_of(const Image &image) {
  constexpr std::int64_t kMost = 64;
  const View &view = image.view();
  const auto list = [&]<class T>(const T *data) {
    return std::vector<T>(data, data + std::min(view.elements(), kMost));
  };
  const Json numbers = view.dtype == Dtype::u64   ? Json(list(image.data<std::uint64_t>()))
                       : view.dtype == Dtype::f64 ? Json(list(image.data<double>()))
                       : view.dtype == Dtype::f32 ? Json(list(image.data<float>()))
                                                  : Json(list(image.data<std::uint8_t>()));
  return view.elements() <= kMost ? numbers : Json{{"shape", view.shape}, {"first", numbers}};
}

Outcome run_mean_std(const Image &image, const Arguments &arguments, const Options &options) {
  const MeanStd result = mean_std(image, reduction_of(arguments), arguments.number("eps"), options);
  return {Image(), {{"mean", numbers_of(result.mean)}, {"std", numbers_of(result.std)}}};
}

Outcome run_min_max(const Image &image, const Arguments &arguments, const Options &options) {
  const MinMax result = min_max(image, reduction_of(arguments), options);
  return {Image(), {{"min", numbers_of(result.min)}, {"max", numbers_of(result.max)}}};
}

// A gamma: levels scaled to [0, 1], raised, and scaled back here, so that power is the last op.
Outcome run_power(const Image &image, const Arguments &arguments, const Options &options) {
  const Image raised = power(to_float(image), arguments.numbers("exponent"), options);
  Image levels(image.view().shape, Dtype::u8);
  const auto *from = raised.data<float>();
  std::transform(from, from + raised.view().elements(), levels.data<std::uint8_t>(), [](float v) {
    return v > 0 ? static_cast<std::uint8_t>(std::lrint(255 * std::min(v, 1.0F))) : std::uint8_t{0};
  });
  return {std::move(levels), {}};
}

// Of levels scaled to [0, 1].
template <Image (*kFunction)(const ConstView &, const Options &)>
Outcome run_function(const Image &image, const Arguments & /*arguments*/, const Options &options) {
  return {kFunction(to_float(image), options), {}};
}

// An operand that is the word `mirrored` is an array: the picture, flipped.
bool is_array(const Arguments &arguments, const char *name) {
  return arguments.text(name) == "mirrored";
}

Outcome run_normalize_per_image(const Image &image, const Arguments &arguments,
                                const Options &options) {
  static const std::map<std::string, Normalization> kModes{
      {"image", Normalization::image},
      {"image_per_channel", Normalization::image_per_channel},
      {"min_max", Normalization::min_max},
      {"min_max_per_channel", Normalization::min_max_per_channel}};
  const auto mode = kModes.find(arguments.text("mode"));
  if (mode == kModes.end()) {
    throw std::invalid_argument("--param mode=" + arguments.text("mode") +
                                ": image, image_per_channel, min_max or min_max_per_channel "
                                "expected");
  }
  return {normalize_per_image(image, mode->second, false, options), {}};
}

Outcome run_histogram(const Image &image, const Arguments &arguments, const Options &options) {
  const Image counts = histogram(image, over_of(arguments), options);
  const std::int64_t channels = counts.view().channels();
  Json statistics;
  for (std::int64_t c = 0; c < channels; ++c) {
    std::vector<std::uint64_t> of_channel;
    of_channel.reserve(256);
    for (std::int64_t level = 0; level < 256; ++level) {
      of_channel.push_back(counts.data<std::uint64_t>()[level * channels + c]);
    }
    statistics["counts"].push_back(of_channel);
  }
  return {Image(), statistics};
}

// Takes the picture's bytes for labels.
Outcome run_bincount(const Image &image, const Arguments &arguments, const Options &options) {
  const std::int64_t bins = whole_number(arguments, "min_length");
  const Image counts = bincount(image, {bins, {}}, options);
  const auto *data = counts.data<std::uint64_t>();
  Json statistics;
  statistics["counts"] = std::vector<std::uint64_t>(data, data + counts.view().elements());
  return {Image(), statistics};
}

const std::vector<Runner> &runners() {
  static const std::vector<Runner> kRunners{
      {"add",
       {{"value", "20"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{is_array(a, "value") ? add(image, hflip(image), o)
                                             : add(image, a.numbers("value"), o),
                        {}};
       }},
      {"multiply",
       {{"factor", "1.05"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{is_array(a, "factor") ? multiply(image, hflip(image), o)
                                              : multiply(image, a.numbers("factor"), o),
                        {}};
       }},
      {"power", {{"exponent", "0.88"}}, run_power},
      {"exp", {}, run_function<exp>},
      {"log", {}, run_function<log>},
      {"sqrt", {}, run_function<sqrt>},
      {"clip",
       {{"low", "16"}, {"high", "235"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{clip(image, a.numbers("low"), a.numbers("high"), o), {}};
       }},
      {"to_float",
       {{"max_value", "255"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{to_float(image, a.number("max_value"), o), {}};
       }},
      {"from_float",
       {{"max_value", "255"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{from_float(to_float(image), Dtype::u8, a.number("max_value"), o), {}};
       }},
      {"multiply_add",
       {{"factor", "1.08"}, {"value", "-12"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{multiply_add(image, a.numbers("factor"), a.numbers("value"), o), {}};
       }},
      {"add_weighted",
       {{"weight_a", "0.7"}, {"weight_b", "0.3"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         const Image mirrored = hflip(image);
         return Outcome{
             add_weighted(image, a.number("weight_a"), mirrored, a.number("weight_b"), o), {}};
       }},
      {"normalize",
       {{"mean", "127.5"}, {"scale", "0.0078431"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{normalize(image, a.numbers("mean"), a.numbers("scale"), o), {}};
       }},
      {"lut",
       {{"table", "invert"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{lut(image, table_from(a.text("table")), o), {}};
       }},
      {"hflip",
       {},
       [](const Image &image, const Arguments &, const Options &o) {
         return Outcome{hflip(image, o), {}};
       }},
      {"vflip",
       {},
       [](const Image &image, const Arguments &, const Options &o) {
         return Outcome{vflip(image, o), {}};
       }},
      {"transpose",
       {},
       [](const Image &image, const Arguments &, const Options &o) {
         return Outcome{transpose(image, o), {}};
       }},
      {"rot90",
       {{"k", "1"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{rot90(image, whole_number(a, "k"), o), {}};
       }},
      {"reduce_sum",
       {{"over", "per_channel"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{Image(), {{"sum", numbers_of(reduce_sum(image, reduction_of(a), o))}}};
       }},
      {"mean",
       {{"over", "per_channel"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         return Outcome{Image(), {{"mean", numbers_of(mean(image, reduction_of(a), o))}}};
       }},
      {"std",
       {{"over", "per_channel"}, {"eps", "0"}},
       [](const Image &image, const Arguments &a, const Options &o) {
         const Image result = switchyard::std(image, reduction_of(a), a.number("eps"), o);
         return Outcome{Image(), {{"std", numbers_of(result)}}};
       }},
      {"mean_std", {{"over", "per_channel"}, {"eps", "0"}}, run_mean_std},
      {"min_max", {{"over", "per_channel"}}, run_min_max},
      {"normalize_per_image", {{"mode", "min_max_per_channel"}}, run_normalize_per_image},
      {"histogram", {{"over", "per_channel"}}, run_histogram},
      {"bincount", {{"min_length", "256"}}, run_bincount},
  };
  return kRunners;
}

struct Request {
  std::string op;
  std::string in;
  std::string out;
  std::vector<std::string> params;
  std::string candidate;
  int threads = 1;
  bool bitwise = false;
  bool json = false;
};

Arguments arguments_for(const Runner &runner, const std::vector<std::string> &params) {
  Arguments arguments;
  for (const auto &[name, value] : runner.defaults) {
    arguments.set(name, value);
  }
  std::set<std::string> given;
  for (const std::string &param : params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || !arguments.knows(param.substr(0, equals))) {
      std::string known;
      for (const auto &[name, value] : runner.defaults) {
        known += fmt::format(" {}={}", name, value);
      }
      throw std::invalid_argument(
          fmt::format("--param {}: {} takes{}", param, runner.op, known.empty() ? " none" : known));
    }
    const std::string name = param.substr(0, equals);
    if (!given.insert(name).second) {
      throw std::invalid_argument("--param " + name + ": given twice");
    }
    arguments.set(name, param.substr(equals + 1));
  }
  return arguments;
}

void report(const Request &request, const Outcome &outcome) {
  const RouteInfo route = last_route();
  if (request.json) {
    Json json{{"variant", route.variant},
              {"candidate", route.candidate},
              {"grade", name_of(route.grade)},
              {"threads", route.threads}};
    if (!outcome.statistics.is_null()) {
      json["statistics"] = outcome.statistics;
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}: {} ({}, {} thread{})\n", route.variant, route.candidate, name_of(route.grade),
             route.threads, route.threads == 1 ? "" : "s");
  for (const auto &[name, values] : outcome.statistics.items()) {
    fmt::print("{} {}\n", name, values.dump());
  }
}

void run(const Request &request) {
  const auto &all = runners();
  const auto runner =
      std::find_if(all.begin(), all.end(), [&](const Runner &r) { return r.op == request.op; });
  if (runner == all.end()) {
    std::string known;
    for (const Runner &r : all) {
      known += fmt::format(" {}", r.op);
    }
    throw std::invalid_argument("OP " + request.op + ": accepted:" + known);
  }
  const Arguments arguments = arguments_for(*runner, request.params);
  Options options;
  options.threads = request.threads;
  options.candidate = request.candidate;
  options.exactness = request.bitwise ? Exactness::bitwise : Exactness::faithful;
  const Image image = read_picture(request.in);
  const Outcome outcome = runner->run(image, arguments, options);
  if (outcome.statistics.is_null()) {
    if (request.out.empty()) {
      throw std::invalid_argument("OUT: " + request.op + " writes a picture; name a file");
    }
    write_picture(request.out, outcome.image);
  }
  report(request, outcome);
}

} // namespace

void add_run(CLI::App &app, int & /*exit_code*/) {
  auto *command = app.add_subcommand("run", "Applies one routed op to a picture");
  const auto request = std::make_shared<Request>();
  command->add_option("OP", request->op, "The op, e.g. multiply_add")->required();
  command->add_option("IN", request->in, "PNG or JPEG file, 8 bits a channel")->required();
  command->add_option("OUT", request->out, "PNG file to write; none for statistics");
  command->add_option("--param", request->params, "A parameter: factor=1.2 or factor=1,1.1,0.9")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--candidate", request->candidate, "Pin this candidate")->type_name("ID");
  command->add_option("--threads", request->threads, "Thread budget")->check(CLI::Range(1, 1024));
  command->add_flag("--bitwise", request->bitwise, "Routes among bitwise candidates alone");
  command->add_flag("--json", request->json, "Print JSON");
  command->callback([request] { run(*request); });
}

} // namespace switchyard::cli
