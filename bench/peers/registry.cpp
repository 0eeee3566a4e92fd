#include <array>

#include "bench/peers/peer.hpp"

namespace switchyard::peers {

extern const Peer kOpencvPeer;
extern const Peer kAtenPeer;

std::span<const Peer> library_peers() {
  // One element too many, so that a build without any library has a legal array.
  static const std::array kPeers {
#if SWITCHYARD_PEER_OPENCV
    kOpencvPeer,
#endif
#if SWITCHYARD_PEER_ATEN
        kAtenPeer,
#endif
        Peer {
    }
  };
  return std::span(kPeers).first(kPeers.size() - 1);
}

std::vector<Expression> joined(std::initializer_list<std::span<const Expression>> lists) {
  std::vector<Expression> all;
  for (const std::span<const Expression> list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

} // namespace switchyard::peers
