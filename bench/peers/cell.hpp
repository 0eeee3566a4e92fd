// One cell: the routed public call beside what the peers would write, in one balanced race.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/campaign.hpp"
#include "bench/measure/race.hpp"
#include "bench/measure/subject.hpp"
#include "bench/peers/agreement.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/public_calls.hpp"
#include "bench/peers/score.hpp"

namespace switchyard::peers {

// Peers in another process, which times its own calls.
class Foreign {
public:
  virtual ~Foreign() = default;

  struct Offer {
    std::string peer;
    std::string text; // the expression
  };
  // Takes a copy of the call's inputs and says what can compute it. Ends the call before.
  [[nodiscard]] virtual std::vector<Offer> open(const Variant &variant, const Call &call,
                                                const Public &known) = 0;
  // Moves the copies to the page offsets of the call's arrays, and restores them.
  virtual void place(const Call &call) = 0;
  // Runs an offer once and copies its results to the call's outputs. Throws std::runtime_error
  // with its message where it fails.
  virtual void run(std::size_t offer, const Call &call) = 0;
  // Duration of so many calls in ns, by the other process's clock.
  [[nodiscard]] virtual double time(std::size_t offer, std::int64_t calls) = 0;
};

struct CellOptions {
  measure::Hooks hooks;     // `execute` isn't used
  measure::RaceRules rules; // only the hopeless leave
  double slice_ns = 100e3;  // as in measure::MeasureOptions
  double clock_error_ns = 0;
  double cell_budget_ns = std::numeric_limits<double>::infinity();
};

// For this machine's steady clock and so many comparisons that hold together.
[[nodiscard]] CellOptions default_cell_options(int comparisons);

struct CellOutcome {
  std::vector<PeerTimes> peers;   // those that agree, in the order given, `loop` last
  std::vector<std::string> notes; // disagreements: "opencv, cv::add(x, v, y): …"
  std::string mismatch;           // the routed call broke its contract: nothing was timed
  int rounds = 0;
  bool complete = false; // false: stopped before there were enough rounds
  double elapsed_ns = 0; // all of it
  double race_ns = 0;    // of this, timed rounds
};

// What of a routed call's results breaks the contract; empty: nothing. Either class of exactness
// will do: of ops whose candidates are all bitwise, the oracle states no range for faithful ones.
[[nodiscard]] std::string routed_mismatch(measure::Subject &subject, Candidate &routed,
                                          const Candidate &floor);

// Races the public call against every expression that computes the problem and whose result
// agrees. The variant's `loop` competes as the peer of this name. Peers that several expressions
// stand for are scored by the one of least median: a bias, if any, is in their favour.
//
// Throws std::invalid_argument for a cell that the variant or its contract does not have.
[[nodiscard]] CellOutcome race_cell(const measure::Entry &entry, const evidence::Cell &cell,
                                    const Public &routed, std::span<const Peer> peers,
                                    Foreign *foreign, const CellOptions &options);

} // namespace switchyard::peers
