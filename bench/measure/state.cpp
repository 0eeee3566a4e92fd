#include "bench/measure/state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace switchyard::measure {
namespace {

using evidence::Quality;

constexpr double kLeastSpan = 1; // s

std::string text_of(Quality quality) {
  return quality == Quality::good ? "good" : quality == Quality::fair ? "fair" : "poor";
}

// Takes the next word off the text; empty at its end.
std::string_view next_word(std::string_view &text) {
  constexpr std::string_view kBlanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

std::string_view next_line(std::string_view &text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<std::int64_t> count_of(std::string_view word) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::string text_of(const std::string &file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Sum over all CPUs that keep such counters.
std::optional<std::int64_t> read_throttled() {
  std::optional<std::int64_t> sum;
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  for (long cpu = 0; cpu < cpus; ++cpu) {
    for (const char *which : {"core", "package"}) {
      const std::string text = text_of(fmt::format(
          "/sys/devices/system/cpu/cpu{}/thermal_throttle/{}_throttle_count", cpu, which));
      std::string_view rest = text;
      if (const auto count = count_of(next_word(rest))) {
        sum = sum.value_or(0) + *count;
      }
    }
  }
  return sum;
}

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Governors that change the clock with the load.
bool follows_load(std::string_view governor) {
  constexpr std::string_view kNames[] = {"ondemand", "conservative", "schedutil", "interactive",
                                         "powersave"};
  return std::find(std::begin(kNames), std::end(kNames), governor) != std::end(kNames);
}

void lower(Conditions &conditions, Quality quality, std::string reason) {
  conditions.quality = std::max(conditions.quality, quality);
  conditions.reasons.push_back(std::move(reason));
}

void lower_beyond(Conditions &conditions, double amount, const Limits &limits, std::string reason) {
  if (amount > limits.fair) {
    lower(conditions, amount > limits.poor ? Quality::poor : Quality::fair, std::move(reason));
  }
}

void judge_cpu(Conditions &conditions, const StateSample &before, const StateSample &after) {
  const CpuTicks &from = *before.cpu;
  const CpuTicks &to = *after.cpu;
  const auto ticks = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(std::max<std::int64_t>(b - a, 0)); // counters may step back a little
  };
  const double busy = ticks(from.busy, to.busy);
  const double stolen = ticks(from.stolen, to.stolen);
  conditions.stolen = busy + stolen > 0 ? stolen / (busy + stolen) : 0;
  lower_beyond(
      conditions, *conditions.stolen, kStolenShare,
      fmt::format("{:.0f} % of CPU time was stolen by the hypervisor", 100 * *conditions.stolen));
  const double elapsed = after.at_s - before.at_s;
  const double own = after.own_s - before.own_s;
  conditions.others = std::max(busy / after.ticks_per_s - own, 0.0) / elapsed;
  const double cpus = std::max(to.cpus, 1);
  lower_beyond(conditions, *conditions.others,
               {std::max(kFairOthers, kOthersShare.fair * cpus),
                std::max(kFairOthers, kOthersShare.poor * cpus)},
               fmt::format("other processes used {:.1f} CPUs", *conditions.others));
  if (from.cpus != to.cpus) {
    lower(conditions, Quality::fair,
          fmt::format("the number of CPUs changed from {} to {}", from.cpus, to.cpus));
  }
}

void judge_clock(Conditions &conditions, const StateSample &before, const StateSample &after) {
  if (before.governor != after.governor) {
    lower(conditions, Quality::fair,
          fmt::format("the CPU governor changed from {} to {}", before.governor, after.governor));
  } else if (follows_load(after.governor)) {
    lower(conditions, Quality::fair,
          fmt::format("the CPU governor {} changes the clock with the load", after.governor));
  }
  if (before.throttled && after.throttled && *after.throttled > *before.throttled) {
    lower(conditions, Quality::fair,
          fmt::format("the CPU was throttled {} times for its temperature",
                      *after.throttled - *before.throttled));
  }
}

} // namespace

std::optional<CpuTicks> parse_stat(std::string_view proc_stat) {
  enum Field { kUser, kNice, kSystem, kIdle, kWait, kInterrupt, kSoftInterrupt, kStolen, kFields };
  std::optional<CpuTicks> ticks;
  int cpus = 0;
  while (!proc_stat.empty()) {
    std::string_view line = next_line(proc_stat);
    const std::string_view name = next_word(line);
    if (name != "cpu") {
      cpus += name.starts_with("cpu") ? 1 : 0;
      continue;
    }
    std::array<std::int64_t, kFields> fields{};
    for (int i = 0; i < kFields; ++i) { // what follows is part of user and nice already
      const std::optional<std::int64_t> field = count_of(next_word(line));
      if (!field && i <= kIdle) { // old kernels have just these
        return std::nullopt;
      }
      fields[static_cast<std::size_t>(i)] = field.value_or(0);
    }
    ticks = {fields[kUser] + fields[kNice] + fields[kSystem] + fields[kInterrupt] +
                 fields[kSoftInterrupt],
             fields[kIdle] + fields[kWait], fields[kStolen], 0};
  }
  if (ticks) {
    ticks->cpus = cpus;
  }
  return ticks;
}

std::optional<double> parse_load(std::string_view proc_loadavg) {
  const std::string_view word = next_word(proc_loadavg);
  double load = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), load);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  return whole && load >= 0 ? std::optional(load) : std::nullopt;
}

std::optional<std::int64_t> parse_swapped(std::string_view proc_vmstat) {
  std::optional<std::int64_t> in;
  std::optional<std::int64_t> out;
  while (!proc_vmstat.empty()) {
    std::string_view line = next_line(proc_vmstat);
    const std::string_view name = next_word(line);
    if (name == "pswpin") {
      in = count_of(next_word(line));
    } else if (name == "pswpout") {
      out = count_of(next_word(line));
    }
  }
  return in && out ? std::optional(*in + *out) : std::nullopt;
}

std::string parse_choice(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
  return open == std::string_view::npos || close == std::string_view::npos
             ? std::string()
             : std::string(text.substr(open + 1, close - open - 1));
}

StateSample read_state() {
  StateSample sample;
  sample.cpu = parse_stat(text_of("/proc/stat"));
  sample.own_s = process_seconds();
  sample.at_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  sample.ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  sample.load = parse_load(text_of("/proc/loadavg"));
  sample.swapped = parse_swapped(text_of("/proc/vmstat"));
  sample.throttled = read_throttled();
  const std::string governor = text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string_view rest = governor;
  sample.governor = next_word(rest);
  return sample;
}

Conditions conditions_between(const StateSample &before, const StateSample &after) {
  Conditions conditions;
  const double elapsed = after.at_s - before.at_s;
  if (!(elapsed > 0)) {
    return conditions;
  }
  if (before.cpu && after.cpu) {
    judge_cpu(conditions, before, after);
  }
  if (before.swapped && after.swapped) {
    const double rate = static_cast<double>(*after.swapped - *before.swapped) / elapsed;
    lower_beyond(conditions, rate, kSwappedPages,
                 fmt::format("{:.0f} pages a second were swapped", rate));
  }
  judge_clock(conditions, before, after);
  return conditions;
}

StateWatch::StateWatch(std::function<StateSample()> read)
    : read_(std::move(read)), first_(read_()), recent_{first_} {}

Quality StateWatch::quality() {
  const StateSample now = read_();
  // Samples older than the youngest one of the required age serve no later answer either.
  while (recent_.size() > 1 && now.at_s - recent_[1].at_s >= kLeastSpan) {
    recent_.pop_front();
  }
  Conditions conditions;
  if (now.at_s - recent_.front().at_s >= kLeastSpan) {
    conditions = conditions_between(recent_.front(), now);
  }
  recent_.push_back(now);
  ++answers_;
  doubtful_ += conditions.quality == Quality::good ? 0 : 1;
  if (conditions.quality > worst_.quality) {
    worst_ = conditions;
  }
  return conditions.quality;
}

std::string StateWatch::warning() const {
  if (doubtful_ == 0) {
    return {};
  }
  std::string text =
      fmt::format("warning: the quality of {} of {} cells is {}; in the worst,", doubtful_,
                  answers_, worst_.quality == Quality::poor ? "fair or poor" : "fair");
  for (const std::string &reason : worst_.reasons) {
    text += "\n  " + reason;
  }
  return text;
}

std::map<std::string, std::string> StateWatch::facts() const {
  const StateSample &last = recent_.back();
  const Conditions all = conditions_between(first_, last);
  std::map<std::string, std::string> facts = {
      {"load_average", last.load ? fmt::format("{:.2f}", *last.load) : "unknown"},
      {"stolen_time", all.stolen ? fmt::format("{:.1f} %", 100 * *all.stolen) : "unknown"},
      {"other_processes", all.others ? fmt::format("{:.2f} CPUs", *all.others) : "unknown"},
      {"quality", text_of(std::max(all.quality, worst_.quality))},
  };
  const std::vector<std::string> &reasons =
      worst_.quality >= all.quality ? worst_.reasons : all.reasons;
  if (!reasons.empty()) {
    facts["reasons"] = fmt::format("{}", fmt::join(reasons, "; "));
  }
  return facts;
}

} // namespace switchyard::measure
