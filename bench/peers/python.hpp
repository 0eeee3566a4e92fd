// Peers that are called through Python: one long-lived child process, driven round by round.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/peers/cell.hpp"

namespace switchyard::peers {

// The child runs serve.py beside this file. Arrays are shared memory with the same bytes, strides
// and page offsets as the call's own; the child times its calls with time.perf_counter_ns and says
// how long they took, so that no message is part of a sample. Messages are lines of JSON on a
// socket.
class PythonPeers final : public Foreign {
public:
  struct Library {
    std::string name;
    std::string version;
  };

  // `python` is a program on the PATH or a path. Throws std::runtime_error where it cannot be run
  // or ends at once.
  explicit PythonPeers(const std::string &python);
  ~PythonPeers() override;
  PythonPeers(const PythonPeers &) = delete;
  PythonPeers &operator=(const PythonPeers &) = delete;

  // Those that are installed.
  [[nodiscard]] const std::vector<Library> &libraries() const { return libraries_; }
  // "numpy: No module named 'numpy'", one for each that is not.
  [[nodiscard]] const std::vector<std::string> &missing() const { return missing_; }

  [[nodiscard]] std::vector<Offer> open(const Variant &variant, const Call &call,
                                        const Public &known) override;
  void place(const Call &call) override;
  void run(std::size_t offer, const Call &call) override;
  [[nodiscard]] double time(std::size_t offer, std::int64_t calls) override;

private:
  class Child;
  class Memory;

  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Child> child_;
  std::vector<Library> libraries_;
  std::vector<std::string> missing_;
  const ConstView *table_ = nullptr; // of the call that is open
};

} // namespace switchyard::peers
