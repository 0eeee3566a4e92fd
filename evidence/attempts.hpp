// Checks that either end at the first fault or go on and note them all. Internal to evidence/.
#pragma once

#include <utility>
#include <vector>

#include "evidence/faults.hpp"
#include "evidence/text.hpp"

namespace switchyard::evidence {

class Attempts {
public:
  // The first fault is thrown on.
  Attempts() = default;
  // Faults are added to `faults`.
  explicit Attempts(std::vector<Fault> &faults) : faults_(&faults) {}

  // Runs one check; false where its fault was noted.
  template <class Check> bool run(Check check) const {
    if (faults_ == nullptr) {
      check();
      return true;
    }
    try {
      check();
      return true;
    } catch (const FaultError &error) {
      faults_->push_back({error.pointer(), error.fault()});
      return false;
    }
  }

  [[nodiscard]] bool collecting() const { return faults_ != nullptr; }
  [[nodiscard]] bool good() const { return faults_ == nullptr || faults_->empty(); }

private:
  std::vector<Fault> *faults_ = nullptr;
};

} // namespace switchyard::evidence
