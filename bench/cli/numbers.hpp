// Numbers on the command line.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace switchyard::cli {

// A whole number in [1, most]; nullopt: it is none.
[[nodiscard]] std::optional<int> number_of(std::string_view text, int most);

// The list of --threads, comma-separated; of an empty text, none. Throws std::invalid_argument that
// names an entry which is no number of threads.
[[nodiscard]] std::vector<int> threads_of(std::string_view list);

} // namespace switchyard::cli
