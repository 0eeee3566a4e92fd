// The machine, its compiler and its libraries as facts of evidence.
#pragma once

#include "bench/measure/clock.hpp"
#include "candidates/backends/cpu.hpp"
#include "evidence/evidence.hpp"

namespace switchyard::measure {

// Facts that need no measuring, in the groups cpu, cache, system, compiler, libraries (version of
// every built backend), capabilities (the CPU features that each has chosen for itself),
// library_threads and harness.
[[nodiscard]] evidence::Machine describe_machine();

// describe_machine() with the group limits: copy bandwidth per memory level, wake-up latency of a
// thread, clock. Takes about a second.
[[nodiscard]] evidence::Machine measure_machine(Clock now = steady_now);

} // namespace switchyard::measure
