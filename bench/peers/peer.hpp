// What routed calls are compared with: calls that a user of another library would write.
//
// Expressions are frozen: they change when the library's own fastest idiom does, never because a
// candidate of ours got better. They share no code with the candidates.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switchyard/core/candidate.hpp"

namespace switchyard::peers {

// One call with everything that its user would keep between calls: headers of the arrays,
// temporaries, reused buffers. What depends on the parameters, such as a lookup table, is part of
// the call, as it is of ours.
using Bound = std::function<void()>;

// Binds an expression to the call's buffers. Both outlive what is returned. An empty function: the
// library does not compute this problem.
using Bind = Bound(const Call &call);

// What a user writes for a variant. Where an expression isn't the fastest for every problem, a
// variant has several, and in each cell the fastest of them stands for the peer.
struct Expression {
  std::string_view variant; // "add/scalar"
  std::string_view text;    // "cv::add(x, v, y)"
  Bind *bind = nullptr;
};

// The expressions of several lists in order.
[[nodiscard]] std::vector<Expression>
joined(std::initializer_list<std::span<const Expression>> lists);

struct Peer {
  std::string_view name; // "opencv"
  std::span<const Expression> expressions;
  std::string (*version)() = nullptr;
  // Keeps the library on the calling thread from now on, as its users would for one image; nullptr:
  // it has no threads.
  void (*one_thread)() = nullptr;
};

// The libraries of this build, OpenCV first.
[[nodiscard]] std::span<const Peer> library_peers();

} // namespace switchyard::peers
