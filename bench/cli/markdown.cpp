#include "bench/cli/markdown.hpp"

#include <fmt/format.h>

namespace switchyard::cli {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether Markdown, or the host that shows it, could take the character for more than itself. Most
// of them are plain in the middle of a word or a sentence, and stay readable there.
bool is_markup(char before, char c, char after) {
  switch (c) {
  case ':': // http://…
    return after == '/';
  case '.': // www.…
    return before == 'w' || before == 'W';
  case '#': // a reference to an issue
    return after >= '0' && after <= '9';
  case '_': // emphasis
    return !is_word(before) || !is_word(after);
  default:
    return std::string_view("<>&|@*`[]\\!~").find(c) != std::string_view::npos;
  }
}

} // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? ' ' : text[i - 1];
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    result += is_markup(before, text[i], after) ? fmt::format("&#{};", static_cast<int>(text[i]))
                                                : std::string(1, text[i]);
  }
  return result;
}

} // namespace switchyard::cli
