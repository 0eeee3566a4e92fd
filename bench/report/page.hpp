// One HTML page that needs nothing else: template, style, script, charting library and data.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace switchyard::report {

// `data` as JSON that a <script> element can hold whatever its texts are: no '<', '>', '&' and
// nothing beyond ASCII, all of which become escapes. What is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string script_json(const nlohmann::ordered_json &data);

// The page of the document that data_of returns. Its policy forbids the browser any request, and
// scripts and styles other than its own. The same bytes for the same document.
[[nodiscard]] std::string page_of(const nlohmann::ordered_json &data);

} // namespace switchyard::report
