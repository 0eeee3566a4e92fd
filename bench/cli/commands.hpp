// The subcommands of `switchyard`. Each adds itself to the app and leaves its exit code behind.
//
// Exit codes: 0 good, 1 a check failed, 2 bad usage or input.
#pragma once

#include <CLI/CLI.hpp>

namespace switchyard::cli {

inline constexpr int kGood = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;

void add_machine(CLI::App &app, int &exit_code);
void add_ops(CLI::App &app, int &exit_code);
void add_bench(CLI::App &app, int &exit_code);
void add_merge(CLI::App &app, int &exit_code);
void add_tablegen(CLI::App &app, int &exit_code);
void add_routes(CLI::App &app, int &exit_code);
void add_stability(CLI::App &app, int &exit_code);
void add_run(CLI::App &app, int &exit_code);
void add_verify(CLI::App &app, int &exit_code);
void add_explain(CLI::App &app, int &exit_code);
void add_completion(CLI::App &app, int &exit_code);
void add_diff(CLI::App &app, int &exit_code);
void add_handoff(CLI::App &app, int &exit_code);
void add_validate(CLI::App &app, int &exit_code);
void add_report(CLI::App &app, int &exit_code);
void add_peers(CLI::App &app, int &exit_code);
void add_roofline(CLI::App &app, int &exit_code);

} // namespace switchyard::cli
