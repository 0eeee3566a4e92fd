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

} // namespace switchyard::peers
