// Help that fits a terminal of 80 columns.
#pragma once

#include <CLI/CLI.hpp>

namespace switchyard::cli {

// Breaks the descriptions of the options of `app`, and of the commands that are added to it
// afterwards, so that no line is longer than kColumns.
void narrow_help(CLI::App &app);

} // namespace switchyard::cli
