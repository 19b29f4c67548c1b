// A peer of one rank: every collective is a copy. It has numbers of 4 bytes and no products.
#include "fake_peer.hpp"

#include <cstring>

#include "perf/peer.hpp"

namespace {

using weft::perf::Peer;
using weft::perf::PeerCall;

weft::fake::PeerState state;

bool call(const PeerCall* call) {
  ++state.calls;
  if (state.fails) return false;
  const std::size_t bytes = call->count * 4;
  if (call->send != call->receive) std::memcpy(call->receive, call->send, bytes);
  if (state.is_wrong && bytes) static_cast<char*>(call->receive)[bytes / 2] ^= 1;
  return true;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) weft::fake::PeerState* weft_fake_peer_state() {
  return &state;
}

__attribute__((visibility("default"))) const Peer* weft_perf_peer() {
  static const Peer peer = {.version = weft::perf::peer_version,
                            .name = "fake",
                            .start =
                                [](int rank, int ranks, int) {
                                  ++state.started;
                                  return rank == 0 && ranks == 1 && !state.refuses_to_start;
                                },
                            .product = [] { return "a fake"; },
                            .supports =
                                [](weft_datatype_t type, weft_op_t op, bool) {
                                  return (type == weft_float32 || type == weft_int32) &&
                                         op != weft_prod;
                                },
                            .call = call,
                            .finish = [] { ++state.finished; },
                            .error = [] { return "as the test asked"; }};
  return &peer;
}

}  // extern "C"
