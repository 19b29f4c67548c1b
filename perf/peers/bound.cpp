// The bound of an all-reduce of 2 ranks whose buffers both can reach: what the memory of this
// machine allows, with nothing of a library around it.
//
// Each form is a loop between two meetings. Before the first one a rank's input is ready; after the
// second one its result is there and its input may be reused. `direct` reads both inputs whole and
// writes 1 result: 3 bytes for each byte of the message, on each rank. `halves` adds its half and
// writes it into both results: 2 bytes. `pull` adds its half into its own result and copies the
// other half from the other's: 2.5 bytes, but all stores stay at home. Threads: one a rank.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "perf/peers/guard.hpp"
#include "perf/peers/pair/kernels.hpp"
#include "perf/peers/pair/pair.hpp"

namespace {

using namespace weft::perf;
using pair::Store;

enum Form { direct, direct_streaming, halves, halves_streaming, pull };
constexpr const char* forms[] = {"direct", "direct_nt", "halves", "halves_nt", "pull", nullptr};
constexpr std::size_t line_floats = 16;  // 64 bytes: no line is written by both ranks

std::unique_ptr<pair::Pair> ranks;
std::unique_ptr<pair::SharedBuffers> buffers;
std::uint64_t meetings = 0;
Guard guard;

void meet() {
  ranks->own(0).reach(++meetings);
  ranks->other(0).await(meetings);
}

struct Range {
  std::size_t from, count;
};

// Of rank 0 the lower half, of rank 1 the rest.
std::pair<Range, Range> own_and_other(std::size_t count) {
  const std::size_t half = count / 2 / line_floats * line_floats;
  const Range lower = {0, half}, upper = {half, count - half};
  return ranks->rank() == 0 ? std::pair(lower, upper) : std::pair(upper, lower);
}

void all_reduce(const float* send, float* receive, std::size_t count, Form form) {
  const float* const other_send = buffers->at_other(send);
  float* const other_receive = buffers->at_other(receive);
  // Rank 0's input on the left on both ranks, so that both have the same bits.
  const float* const a = ranks->rank() == 0 ? send : other_send;
  const float* const b = ranks->rank() == 0 ? other_send : send;
  const bool streams = form == direct_streaming || form == halves_streaming;
  const Store store = streams ? Store::streaming : Store::cached;
  const auto [own, other] = own_and_other(count);
  meet();
  switch (form) {
    case direct:
    case direct_streaming: pair::add(receive, a, b, count, store); break;
    case halves:
    case halves_streaming:
      pair::add({receive + own.from, store}, {other_receive + own.from, store}, a + own.from,
                b + own.from, own.count);
      break;
    case pull:
      pair::add(receive + own.from, a + own.from, b + own.from, own.count, store);
      meet();
      pair::copy(receive + other.from, other_receive + other.from, other.count, store);
      break;
  }
  meet();
}

// In place `direct` would add what the other rank has overwritten already.
Form fitting(const PeerCall& call) {
  const auto form = static_cast<Form>(call.form == own_choice ? int(direct) : call.form);
  const bool in_place = call.send == call.receive;
  return in_place && (form == direct || form == direct_streaming) ? halves : form;
}

bool start(const PeerJob* job) {
  return guard.run([&] { ranks = std::make_unique<pair::Pair>(*job, 0); });
}

bool see(const PeerBuffers* own) {
  return guard.run([&] { buffers = std::make_unique<pair::SharedBuffers>(*ranks, *own); });
}

bool supports(weft_collective_t kind, weft_datatype_t type, weft_op_t op) {
  return kind == weft_collective_all_reduce && type == weft_float32 && op == weft_sum;
}

bool call(const PeerCall* call) {
  return guard.run([&] {
    all_reduce(static_cast<const float*>(call->send), static_cast<float*>(call->receive),
               call->count, fitting(*call));
  });
}

void finish() {
  buffers.reset();
  ranks.reset();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Peer* weft_perf_peer() {
  static const Peer peer = {.version = peer_version,
                            .name = "bound",
                            .uneven = false,
                            .forms = forms,
                            .start = start,
                            .see = see,
                            .product = [] { return "reference code on buffers that both map"; },
                            .supports = supports,
                            .fits = nullptr,
                            .call = call,
                            .finish = finish,
                            .error = [] { return guard.error(); }};
  return &peer;
}
