#include "bench/cli/help.hpp"

#include <memory>
#include <string>

#include "bench/cli/text.hpp"

namespace switchyard::cli {
namespace {

class NarrowFormatter : public CLI::Formatter {
public:
  [[nodiscard]] std::string make_option_desc(const CLI::Option *option) const override {
    return narrowed(option->get_description());
  }

  [[nodiscard]] std::string make_footer(const CLI::App *command) const override {
    const std::string text = command->get_footer();
    return text.empty() ? text : wrapped("", text);
  }

  [[nodiscard]] std::string make_subcommand(const CLI::App *command) const override {
    return wrapped(padded("  " + command->get_display_name(true), column_width_),
                   command->get_description());
  }

private:
  // The formatter indents every line but the first.
  [[nodiscard]] std::string narrowed(const std::string &text) const {
    std::string lines = wrapped(std::string(column_width_, ' '), text);
    lines.erase(0, column_width_);
    lines.pop_back();
    const std::string indent = '\n' + std::string(column_width_, ' ');
    for (std::size_t at = lines.find(indent); at != std::string::npos;
         at = lines.find(indent, at + 1)) {
      lines.erase(at + 1, column_width_);
    }
    return lines;
  }
};

} // namespace

void narrow_help(CLI::App &app) {
  app.formatter(std::make_shared<NarrowFormatter>());
}

} // namespace switchyard::cli
