// A peer of one rank: every collective is a copy. It has numbers of 4 bytes and no products.
#include "fake_peer.hpp"

#include <chrono>
#include <cstring>
#include <thread>

#include "perf/peer.hpp"

namespace {

using weft::perf::Peer;
using weft::perf::PeerBuffers;
using weft::perf::PeerCall;
using weft::perf::PeerJob;

weft::fake::PeerState state;
enum Form { slow, plain, large };
constexpr const char* forms[] = {"slow", "plain", "large", nullptr};

bool call(const PeerCall* call) {
  ++state.calls;
  if (call->form != weft::perf::own_choice) ++state.calls_of_form[call->form];
  if (call->form == slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
  static const Peer peer = {
      .version = weft::perf::peer_version,
      .name = "fake",
      .uneven = false,
      .forms = forms,
      .start =
          [](const PeerJob* job) {
            ++state.started;
            return job->rank == 0 && job->ranks == 1 && !state.refuses_to_start;
          },
      .see =
          [](const PeerBuffers* buffers) {
            state.buffers = *buffers;
            return true;
          },
      .product = [] { return "a fake"; },
      .supports =
          [](weft_collective_t, weft_datatype_t type, weft_op_t op) {
            return (type == weft_float32 || type == weft_int32) && op != weft_prod;
          },
      .fits = [](weft_collective_t, int form,
                 std::size_t bytes) { return form != large || bytes >= state.large_from; },
      .call = call,
      .finish = [] { ++state.finished; },
      .error = [] { return "as the test asked"; }};
  return &peer;
}

}  // extern "C"
