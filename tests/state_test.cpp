// The machine's state: parsers on the kernel's texts, judgements on samples with known answers.
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bench/measure/campaign.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/state.hpp"

using namespace switchyard;
using namespace switchyard::measure;
using evidence::Quality;

namespace {

constexpr const char *kStat = "cpu  1784078 12 234239 527148 6645 5 3132 17307 99 0\n"
                              "cpu0 876202 0 118016 280815 2569 0 72 8447 0 0\n"
                              "cpu1 907876 0 116223 246333 4076 0 3059 8860 0 0\n"
                              "intr 123 4 5\nctxt 12345\nbtime 1700000000\n";

// A machine of two CPUs that has done nothing yet but what `change` says.
StateSample at(double seconds, double own_s, double others_s, double stolen_s) {
  StateSample sample;
  sample.at_s = seconds;
  sample.own_s = own_s;
  CpuTicks ticks;
  ticks.busy = std::llround((own_s + others_s) * 100);
  ticks.stolen = std::llround(stolen_s * 100);
  ticks.idle = std::llround(seconds * 200) - ticks.busy - ticks.stolen;
  ticks.cpus = 2;
  sample.cpu = ticks;
  sample.swapped = 0;
  sample.governor = "performance";
  return sample;
}

Conditions from_start(const StateSample &after) {
  return conditions_between(at(0, 0, 0, 0), after);
}

} // namespace

TEST_CASE("CPU times are read from the kernel's text", "[state]") {
  const std::optional<CpuTicks> ticks = parse_stat(kStat);
  REQUIRE(ticks);
  CHECK(ticks->busy == 1784078 + 12 + 234239 + 5 + 3132); // guests' time is part of it already
  CHECK(ticks->idle == 527148 + 6645);
  CHECK(ticks->stolen == 17307);
  CHECK(ticks->cpus == 2);
  // The oldest kernels tell neither waiting nor stolen time.
  const std::optional<CpuTicks> old = parse_stat("cpu 10 20 30 40\n");
  REQUIRE(old);
  CHECK(old->busy == 60);
  CHECK(old->stolen == 0);
  for (const char *bad : {"", "\n\n", "intr 1 2 3\n", "cpu\n", "cpu 1 2 3\n", "cpu 1 2 x 4 5 6\n",
                          "cpu 1 2 -3 4\n", "cpu 99999999999999999999 1 1 1\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_stat(bad));
  }
}

TEST_CASE("Load, swapping and choices are read from the kernel's texts", "[state]") {
  CHECK(parse_load("0.39 0.61 1.19 2/100 17068\n") == 0.39);
  CHECK(parse_load("12.00") == 12.0);
  CHECK_FALSE(parse_load(""));
  CHECK_FALSE(parse_load("much"));
  CHECK_FALSE(parse_load("-1.0 0 0"));
  CHECK(parse_swapped("pgpgin 5\npswpin 30\npswpout 12\npgfault 9\n") == 42);
  CHECK_FALSE(parse_swapped("pswpin 30\n"));
  CHECK_FALSE(parse_swapped("pswpin many\npswpout 12\n"));
  CHECK(parse_choice("always [madvise] never\n") == "madvise");
  CHECK(parse_choice("always madvise never").empty());
  CHECK(parse_choice("] [").empty());
  CHECK(parse_choice("").empty());
}

TEST_CASE("A machine that does nothing but measure is good", "[state]") {
  // One thread of ours for ten seconds, the machine's own services, a little stolen time.
  const Conditions idle = from_start(at(10, 9.8, 0.6, 0.2));
  CHECK(idle.quality == Quality::good);
  CHECK(idle.reasons.empty());
  CHECK(*idle.others == Approx(0.06));
  CHECK(*idle.stolen == Approx(0.2 / 10.6));
  // All CPUs are ours.
  CHECK(from_start(at(10, 19.5, 0.3, 0.1)).quality == Quality::good);
  // The kernel's accounting lags behind ours: others have not used less than nothing.
  CHECK(*from_start(at(10, 9.8, -0.1, 0)).others == 0);
}

TEST_CASE("Stolen time and other processes lower the quality, in plain words", "[state]") {
  const auto is = [](const Conditions &found, Quality quality, const std::string &reason) {
    CHECK(found.quality == quality);
    CHECK(found.reasons == std::vector<std::string>{reason});
  };
  is(from_start(at(10, 8.8, 0, 1.2)), Quality::fair,
     "12 % of CPU time was stolen by the hypervisor");
  is(from_start(at(10, 7, 0, 3)), Quality::poor, "30 % of CPU time was stolen by the hypervisor");
  is(from_start(at(10, 10, 9, 0)), Quality::fair, "other processes used 0.9 CPUs");
  is(from_start(at(10, 8, 12, 0)), Quality::poor, "other processes used 1.2 CPUs");
  const Conditions both = from_start(at(10, 7, 9, 4));
  CHECK(both.quality == Quality::fair);
  CHECK(both.reasons.size() == 2);
  // On a larger machine the same load matters less.
  StateSample before = at(0, 0, 0, 0);
  StateSample after = at(10, 10, 9, 0);
  before.cpu->cpus = after.cpu->cpus = 64;
  CHECK(conditions_between(before, after).quality == Quality::good);
}

TEST_CASE("Swapping, throttling, governor and lost CPUs lower the quality", "[state]") {
  const StateSample calm = at(10, 10, 0, 0);
  StateSample after = calm;
  after.swapped = 1000;
  CHECK(from_start(after).reasons == std::vector<std::string>{"100 pages a second were swapped"});
  CHECK(from_start(after).quality == Quality::fair);
  after.swapped = 100'000;
  CHECK(from_start(after).quality == Quality::poor);

  StateSample before = at(0, 0, 0, 0);
  after = calm;
  before.throttled = 5;
  after.throttled = 7;
  CHECK(conditions_between(before, after).reasons ==
        std::vector<std::string>{"the CPU was throttled 2 times for its temperature"});
  after.throttled = 5; // before the measurement
  CHECK(conditions_between(before, after).quality == Quality::good);

  after = calm;
  after.governor = "powersave";
  CHECK(from_start(after).reasons ==
        std::vector<std::string>{"the CPU governor changed from performance to powersave"});
  before.governor = "powersave";
  CHECK(conditions_between(before, after).reasons ==
        std::vector<std::string>{"the CPU governor powersave changes the clock with the load"});
  before.governor = after.governor = ""; // a guest sees none
  CHECK(conditions_between(before, after).quality == Quality::good);

  after = calm;
  after.cpu->cpus = 1;
  CHECK(from_start(after).reasons ==
        std::vector<std::string>{"the number of CPUs changed from 2 to 1"});
}

TEST_CASE("What is not known counts as good", "[state]") {
  const StateSample nothing;
  StateSample later;
  later.at_s = 10;
  CHECK(conditions_between(nothing, later).quality == Quality::good);
  CHECK_FALSE(conditions_between(nothing, later).others.has_value());
  CHECK(conditions_between(at(5, 1, 1, 1), at(5, 9, 9, 9)).quality == Quality::good); // no time
}

TEST_CASE("A watch tells the quality since it was asked, over a second at least", "[state]") {
  StateSample now = at(0, 0, 0, 0);
  StateWatch watch([&] { return now; });
  const auto pass = [&](double seconds, double others) { // at most 4 CPUs, for simplicity
    now = at(now.at_s + seconds, now.own_s + seconds,
             static_cast<double>(now.cpu->busy) / 100 - now.own_s + seconds * others, 0);
  };
  pass(0.4, 1.9);
  CHECK(watch.quality() == Quality::good); // too short to tell
  pass(0.5, 1.9);
  CHECK(watch.quality() == Quality::good);
  pass(0.5, 1.9); // 1.4 s after the beginning
  CHECK(watch.quality() == Quality::poor);
  CHECK(watch.warning() == "warning: the quality of 1 of 3 cells is fair or poor; in the worst,\n"
                           "  other processes used 1.9 CPUs");
  pass(5, 0);
  CHECK(watch.quality() == Quality::good); // what was before the last question is past
  pass(0.2, 0.1);
  CHECK(watch.quality() == Quality::good);
  pass(2, 0.5);
  CHECK(watch.quality() == Quality::fair);
  pass(0.1, 0);
  CHECK(watch.quality() == Quality::fair); // most of its second was
  pass(1.5, 0);
  CHECK(watch.quality() == Quality::good);
  CHECK(watch.warning().starts_with("warning: the quality of 3 of 8 cells"));
  const std::map<std::string, std::string> facts = watch.facts();
  CHECK(facts.at("quality") == "poor"); // the worst of all
  CHECK(facts.at("reasons") == "other processes used 1.9 CPUs");
  CHECK(facts.at("other_processes") == "0.36 CPUs");
  CHECK(facts.at("stolen_time") == "0.0 %");
  CHECK(facts.at("load_average") == "unknown");
}

TEST_CASE("A watch over a calm machine has nothing to warn of", "[state]") {
  StateSample now = at(0, 0, 0, 0);
  now.load = 1.25;
  StateWatch watch([&] { return now; });
  now = at(60, 59, 1, 0.5);
  now.load = 1.25;
  CHECK(watch.quality() == Quality::good);
  CHECK(watch.warning().empty());
  CHECK(watch.facts() == std::map<std::string, std::string>{{"load_average", "1.25"},
                                                            {"other_processes", "0.02 CPUs"},
                                                            {"quality", "good"},
                                                            {"stolen_time", "0.8 %"}});
}

TEST_CASE("This machine's state can be read, and only its own figures grow", "[state]") {
  const StateSample first = read_state();
  REQUIRE(first.cpu);
  CHECK(first.cpu->cpus >= 1);
  CHECK(first.cpu->busy > 0);
  CHECK(first.ticks_per_s > 0);
  volatile double work = 0;
  for (int i = 0; i < 3'000'000; ++i) {
    work = work + 1;
  }
  const StateSample second = read_state();
  CHECK(second.own_s > first.own_s);
  CHECK(second.at_s > first.at_s);
  CHECK(second.cpu->busy + second.cpu->idle >= first.cpu->busy + first.cpu->idle);
}

TEST_CASE("The machine's description says what shapes its times, and no passing state", "[state]") {
  const evidence::Machine machine = describe_machine();
  const auto &system = machine.facts.at("system");
  for (const char *name :
       {"hypervisor", "kernel", "smt", "transparent_huge_pages", "virtualisation"}) {
    CAPTURE(name);
    REQUIRE(system.contains(name));
    CHECK_FALSE(system.at(name).empty());
  }
  CHECK_FALSE(system.contains("load_average"));
  CHECK(machine.facts.at("cpu").contains("governor"));
  CHECK(machine.facts.at("cpu").contains("microcode"));
  CHECK(describe_machine().facts == machine.facts);
}

TEST_CASE("A cell's rows are labelled with the conditions seen at its end", "[state]") {
  MeasureOptions options = options_for(Mode::quick);
  options.slice_ns = 1e3;
  options.rules.most_rounds = options.rules.usual_rounds = options.rules.least_rounds;
  const Entry entry = select("hflip").front();
  const evidence::Cell cell = evidence::Cell::parse(
      "u8 24x32x3 contiguous into hot t1 " + std::string(entry.contract->param_sets[0].name));
  Gate gate;
  const auto qualities = [&](Quality general, Quality since) {
    int asked = 0;
    options.quality = general;
    options.quality_since_asked = [&] { return ++asked, since; };
    const CellResult result = measure_cell(*entry.variant, *entry.contract, cell, options, gate);
    CHECK(asked == 1);
    CHECK(result.rows.size() > 1);
    std::map<Quality, int> found;
    for (const evidence::Row &row : result.rows) {
      const evidence::Context &context = result.contexts.at(row.context);
      CHECK(context.id() == row.context);
      ++found[context.quality];
    }
    for (const auto &[id, context] : result.contexts) { // none that no row has
      CHECK(context.quality == found.begin()->first);
    }
    CHECK(found.size() == 1);
    return found.begin()->first;
  };
  CHECK(qualities(Quality::good, Quality::good) == Quality::good);
  CHECK(qualities(Quality::good, Quality::poor) == Quality::poor);
  CHECK(qualities(Quality::fair, Quality::good) == Quality::fair);
}
