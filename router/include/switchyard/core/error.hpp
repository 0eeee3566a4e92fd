// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace switchyard {

// Thrown before any output byte is written. what() reads
// "<op>: <argument>: got <given>; accepted: <accepted>".
class Error : public std::invalid_argument {
public:
  Error(std::string_view op, std::string_view argument, std::string_view given,
        std::string_view accepted)
      : std::invalid_argument(std::string(op) + ": " + std::string(argument) + ": got " +
                              std::string(given) + "; accepted: " + std::string(accepted)),
        op_(op), argument_(argument), given_(given), accepted_(accepted) {}

  [[nodiscard]] const std::string &op() const { return op_; }
  [[nodiscard]] const std::string &argument() const { return argument_; }
  [[nodiscard]] const std::string &given() const { return given_; }
  [[nodiscard]] const std::string &accepted() const { return accepted_; }

private:
  std::string op_, argument_, given_, accepted_;
};

} // namespace switchyard
