// The files that a page is made of, compiled in: bench/report/embed.cmake writes parts.cpp.
#pragma once

#include <string_view>

namespace switchyard::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kModelJs;
extern const std::string_view kChartsJs;
extern const std::string_view kTablesJs;
extern const std::string_view kSectionsJs;
extern const std::string_view kPageJs;
extern const std::string_view kLibraryJs;
extern const std::string_view kLibraryLicence;

} // namespace switchyard::report
