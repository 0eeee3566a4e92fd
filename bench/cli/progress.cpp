#include "bench/cli/progress.hpp"

#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace switchyard::cli {
namespace {

constexpr double kLineEverySeconds = 10;
constexpr std::size_t kWidth = 24;

std::atomic<bool> g_stop{false};

void stop(int) {
  g_stop = true;
}

void draw(const measure::Progress &progress) {
  const std::size_t filled = progress.total == 0 ? kWidth : kWidth * progress.done / progress.total;
  fmt::print(stderr, "\r\x1b[K[{}{}] {}/{} ETA {} {:.40}", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), progress.done, progress.total,
             clock_text(progress.eta_s), fmt::format("{} {}", progress.variant, progress.cell));
  if (progress.done == progress.total) {
    fmt::print(stderr, "\n");
  }
  std::fflush(stderr);
}

} // namespace

double seconds_of(std::string_view flag, const std::string &text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || scale == 0 || !(value > 0) || value > 1e6) {
    throw std::invalid_argument(
        fmt::format("{} {}: a time such as 90s, 5m or 1h expected", flag, text));
  }
  return value * scale;
}

std::string clock_text(double seconds) {
  const long whole = std::lround(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void stop_on_signals() {
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = stop;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool> *stop_flag() {
  return &g_stop;
}

void ProgressBar::operator()(const measure::Progress &progress) {
  if (terminal_) {
    draw(progress);
  } else if (progress.elapsed_s >= next_line_s_ || progress.done == progress.total) {
    fmt::print(stderr, "{:>4}/{} cells, {} elapsed, {} left, {} {}\n", progress.done,
               progress.total, clock_text(progress.elapsed_s), clock_text(progress.eta_s),
               progress.variant, progress.cell);
    next_line_s_ = progress.elapsed_s + kLineEverySeconds;
  }
}

} // namespace switchyard::cli
