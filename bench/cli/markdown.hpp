// Text within Markdown.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::cli {

// Evidence may come from anybody: nothing in the result becomes markup, a link or a mention.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace switchyard::cli
