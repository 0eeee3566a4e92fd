#include "router/routes_file.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"
#include "evidence/files.hpp"
#include "evidence/parse.hpp"
#include "evidence/text.hpp"

namespace switchyard {

using evidence::Members;
using nlohmann::json;

namespace {

constexpr int kSchema = 1;
constexpr std::string_view kKind = "switchyard routes";
constexpr std::size_t kMaxRoutes = 65536;
constexpr std::size_t kMaxRanked = 256; // alternatives of one route
constexpr std::int64_t kMaxChannels = std::int64_t{1} << 31;
constexpr double kMaxMargin = 1e9; // median times differ by less

bool is_hash(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// What JSON would let pass, though a file that was written here has none of it.
void check_bytes(std::string_view text, const evidence::Source &source) {
  if (text.starts_with("\xef\xbb\xbf")) {
    source.fail("", "starts with a byte order mark");
  }
  for (const char c : {'\0', '\r'}) {
    if (const std::size_t at = text.find(c); at != std::string_view::npos) {
      source.fail("", fmt::format("byte {}: a {}", at + 1,
                                  c == '\0' ? "NUL byte" : "carriage return; lines end in \\n"));
    }
  }
}

// The checksum is that of the text with zeros in its own place. A text that was changed by hand
// goes without one.
void check_checksum(const Members &file, std::string text) {
  if (!file.has("checksum")) {
    return;
  }
  const std::string &checksum = file.text("checksum");
  const std::size_t at = text.rfind('"' + checksum + '"');
  if (!is_hash(checksum) || at == std::string::npos) {
    file.fail("checksum", "not 16 hexadecimal digits");
  }
  text.replace(at + 1, checksum.size(), checksum.size(), '0');
  if (evidence::hash_of(text) != checksum) {
    file.fail("checksum", "does not fit the text: damaged, or changed by hand without removing "
                          "this field");
  }
}

template <class Enum> Enum enum_at(const Members &members, std::string_view name, int count) {
  const std::string &text = members.text(name);
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<Enum>(i)) == text) {
      return static_cast<Enum>(i);
    }
  }
  members.fail(name, "unknown: " + evidence::printable(text));
}

// A whole number within [least, most].
std::int64_t whole_within(const Members &members, std::string_view name, std::int64_t least,
                          std::int64_t most) {
  const std::int64_t value = members.whole(name);
  if (value < least || value > most) {
    members.fail(name, fmt::format("{} is not within [{}, {}]", value, least, most));
  }
  return value;
}

// null stands for "without end".
bool is_null(const Members &members, std::string_view name) {
  return members.at(name).is_null();
}

float margin_at(const Members &members, std::string_view name) {
  const double value = members.number(name);
  if (!(value >= -1 && value <= kMaxMargin)) {
    members.fail(name, "out of range");
  }
  return static_cast<float>(value);
}

auto class_of(const Route &route) {
  return std::tie(route.variant, route.dtype, route.channels, route.layout, route.output,
                  route.thread_budget, route.op_class);
}

} // namespace

class RoutesReader {
public:
  RoutesReader(RoutesFile &result, const evidence::Source &source)
      : result_(result), source_(source) {}

  void read(const std::string &text) {
    check_bytes(text, source_);
    const json root = evidence::parse_json(text, source_);
    const Members file(root, "", source_);
    if (const int schema = file.integer("schema"); schema != kSchema) {
      file.fail("schema", fmt::format("{}; this program reads {}", schema, kSchema));
    }
    if (file.text("kind") != kKind) {
      file.fail("kind", fmt::format("not \"{}\"", kKind));
    }
    check_checksum(file, text);
    file.allow_only({"schema", "kind", "profile", "candidate_set", "routes", "checksum"});
    result_.profile_ = file.text("profile");
    result_.candidate_set_ = file.text("candidate_set");
    if (!evidence::is_profile_name(result_.profile_)) {
      file.fail("profile", "not a profile's name");
    }
    if (!is_hash(result_.candidate_set_)) {
      file.fail("candidate_set", "not 16 hexadecimal digits");
    }
    read_routes(file);
  }

private:
  void read_routes(const Members &file) {
    const json &routes = file.array("routes");
    if (routes.size() > kMaxRoutes) {
      file.fail("routes", fmt::format("more than {} routes", kMaxRoutes));
    }
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const Members members(routes[i], fmt::format("/routes/{}", i), source_);
      const Route route = read_route(members);
      check_place(members, route);
      result_.routes_.push_back(route);
    }
    if (!routes.empty() && result_.routes_.back().to != kUnbounded) {
      file.fail_in("routes", routes.size() - 1, "the last of its class, but its \"to\" is no null");
    }
  }

  Route read_route(const Members &members) {
    members.allow_only({"variant", "dtype", "channels", "layout", "output", "thread_budget", "from",
                        "to", "measured_from", "measured_to", "ranking", "margin", "low", "high",
                        "op_class"});
    Route route;
    route.variant = name_at(members, "variant", evidence::is_variant_name);
    route.dtype = name_at(members, "dtype", evidence::is_token);
    route.channels = whole_within(members, "channels", 1, kMaxChannels);
    route.layout = enum_at<LayoutClass>(members, "layout", kLayoutClasses);
    route.output = enum_at<OutputMode>(members, "output", kOutputModes);
    route.thread_budget =
        static_cast<int>(whole_within(members, "thread_budget", 1, evidence::kMaxThreads));
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    route.from = members.whole("from");
    route.to =
        is_null(members, "to") ? kUnbounded : whole_within(members, "to", route.from + 1, kMost);
    route.measured_from = members.whole("measured_from");
    route.measured_to = whole_within(members, "measured_to", route.measured_from, kMost);
    read_ranking(members, route);
    route.margin = margin_at(members, "margin");
    route.low = margin_at(members, "low");
    route.high = is_null(members, "high") ? std::numeric_limits<float>::infinity()
                                          : margin_at(members, "high");
    if (members.has("op_class")) {
      route.op_class = name_at(members, "op_class", evidence::is_token);
    }
    if (route.low > route.high) {
      members.fail("low", "above high");
    }
    return route;
  }

  void read_ranking(const Members &members, Route &route) {
    const json &ranking = members.array("ranking");
    if (ranking.empty() || ranking.size() > kMaxRanked) {
      members.fail("ranking",
                   fmt::format("{} alternatives; accepted: 1 to {}", ranking.size(), kMaxRanked));
    }
    route.ranking = static_cast<std::uint32_t>(result_.alternatives_.size());
    route.ranked = static_cast<std::uint32_t>(ranking.size());
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      const Members entry(ranking[i], fmt::format("{}/{}", members.pointer("ranking"), i), source_);
      entry.allow_only({"candidate", "threads"});
      const RouteAlternative alternative{
          name_at(entry, "candidate", evidence::is_token),
          static_cast<int>(whole_within(entry, "threads", 1, route.thread_budget))};
      for (std::size_t k = route.ranking; k < result_.alternatives_.size(); ++k) {
        const RouteAlternative &other = result_.alternatives_[k];
        if (other.candidate == alternative.candidate && other.threads == alternative.threads) {
          entry.fail("candidate", "repeats in its ranking");
        }
      }
      result_.alternatives_.push_back(alternative);
    }
  }

  // Routes ascend by class; those of a class adjoin and cover every size.
  void check_place(const Members &members, const Route &route) const {
    const bool first = result_.routes_.empty();
    if (!first && class_of(result_.routes_.back()) == class_of(route)) {
      if (result_.routes_.back().to != route.from) {
        members.fail("from", "not where the route before ends");
      }
      return;
    }
    if (!first && result_.routes_.back().to != kUnbounded) {
      members.fail("variant", "another class, but the route before ends at a size");
    }
    if (!first && class_of(route) < class_of(result_.routes_.back())) {
      members.fail("variant", "not in the order of classes");
    }
    if (route.from != 0) {
      members.fail("from", "the first of its class, but not 0");
    }
  }

  std::string_view name_at(const Members &members, std::string_view name,
                           bool (*valid)(std::string_view)) {
    const std::string &text = members.text(name);
    if (!valid(text)) {
      members.fail(name, "not a name: " + evidence::printable(text));
    }
    return *result_.names_.insert(text).first;
  }

  RoutesFile &result_;
  const evidence::Source &source_;
};

RoutesFile::RoutesFile(const std::string &path) : name_(evidence::printable(path, 4096)) {
  RoutesReader(*this, evidence::Source(path)).read(evidence::read_file(path));
}

RouteTable RoutesFile::table() const {
  return {profile_, candidate_set_, routes_, alternatives_};
}

} // namespace switchyard
