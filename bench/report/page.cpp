#include "bench/report/page.hpp"

#include <stdexcept>
#include <string_view>

#include "bench/report/parts.hpp"
#include "evidence/evidence.hpp"

namespace switchyard::report {
namespace {

std::string replaced(std::string_view text, std::string_view special, auto escape) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += escape(c);
    }
  }
  return result;
}

std::string html_text(std::string_view text) {
  return replaced(text, "<>&\"'",
                  [](char c) { return "&#" + std::to_string(static_cast<int>(c)) + ";"; });
}

// Replaces the {{names}} of the template in one pass, so that nothing is looked for in what was
// put in.
class Template {
public:
  explicit Template(std::string_view text) : rest_(text) {}

  void put(std::string_view name, std::string_view value) {
    const std::string mark = "{{" + std::string(name) + "}}";
    const std::size_t place = rest_.find(mark);
    if (place == std::string_view::npos) {
      throw std::logic_error("page.html lacks " + mark + ", or has it in another order");
    }
    page_ += rest_.substr(0, place);
    page_ += value;
    rest_.remove_prefix(place + mark.size());
  }

  [[nodiscard]] std::string finish() && {
    page_ += rest_;
    return std::move(page_);
  }

private:
  std::string_view rest_;
  std::string page_;
};

} // namespace

std::string script_json(const nlohmann::ordered_json &data) {
  constexpr int kCompact = -1;
  constexpr bool kAscii = true;
  const std::string text =
      data.dump(kCompact, ' ', kAscii, nlohmann::ordered_json::error_handler_t::replace);
  // Outside of strings JSON has none of them, and inside an escape means the same.
  return replaced(text, "<>&", [](char c) -> std::string_view {
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
  });
}

std::string page_of(const nlohmann::ordered_json &data) {
  const std::string json = script_json(data);
  // Only elements with this word are obeyed. It depends on all of the data, which therefore can't
  // contain it.
  const std::string nonce = evidence::hash_of(json);
  Template page(kPageHtml);
  page.put("nonce", nonce);
  page.put("nonce", nonce);
  page.put("title", html_text(data.at("profile").get<std::string>()));
  page.put("nonce", nonce);
  page.put("style", kPageCss);
  page.put("licence", html_text(kLibraryLicence));
  page.put("data", json);
  page.put("nonce", nonce);
  page.put("library", kLibraryJs);
  page.put("nonce", nonce);
  page.put("model", kModelJs);
  page.put("charts", kChartsJs);
  page.put("tables", kTablesJs);
  page.put("sections", kSectionsJs);
  page.put("script", kPageJs);
  return std::move(page).finish();
}

} // namespace switchyard::report
