// What commands that measure share: times on the command line, progress on stderr, interruption.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include <unistd.h>

#include "bench/measure/campaign.hpp"

namespace switchyard::cli {

// Seconds of "90s", "5m", "1h" or, without a unit, "90". Throws std::invalid_argument that names
// `flag` for anything else, for 0 and for more than a million seconds.
[[nodiscard]] double seconds_of(std::string_view flag, const std::string &text);

// "3:07" for 187 seconds.
[[nodiscard]] std::string clock_text(double seconds);

// From now on SIGINT and SIGTERM set the flag of stop_flag() instead of ending the program: what is
// in hand ends first. Whoever cannot wait for that sends the signal again.
void stop_on_signals();
[[nodiscard]] const std::atomic<bool> *stop_flag();

// A bar that redraws itself on a terminal, else a line every few seconds.
class ProgressBar {
public:
  void operator()(const measure::Progress &progress);

private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  double next_line_s_ = 0;
};

} // namespace switchyard::cli
