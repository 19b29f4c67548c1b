// What an all-reduce of 2 ranks reaches with private buffers: everything goes through slots of
// shared memory, in chunks, so that a slot is still in a cache when it is read.
//
// Of each chunk a rank sums one half. Three stages, each a chunk behind the one before it, so that
// neither rank waits for what the other is just doing:
//   give    copies the other rank's half of the input into a slot
//   sum     adds its own half and what was given, into its result and into a slot
//   take    copies the other half of the result from the other rank's slot
// Forms differ in the size of a chunk and in the stores for slots and results. Threads: one a rank.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "perf/peers/guard.hpp"
#include "perf/peers/pair/kernels.hpp"
#include "perf/peers/pair/pair.hpp"

namespace {

using namespace weft::perf;
using pair::Counter;
using pair::Store;

constexpr std::size_t KiB = 1024;
struct Form {
  std::size_t chunk;   // bytes
  Store slot, result;  // streaming into slots helps where the cores are far apart
};
constexpr Store cached = Store::cached, streaming = Store::streaming;
constexpr Form table[] = {
    {8 * KiB, cached, cached},      {8 * KiB, streaming, cached},
    {64 * KiB, cached, cached},     {64 * KiB, streaming, cached},
    {64 * KiB, cached, streaming},  {64 * KiB, streaming, streaming},
    {512 * KiB, cached, cached},    {512 * KiB, streaming, cached},
    {512 * KiB, cached, streaming}, {512 * KiB, streaming, streaming},
};
constexpr const char* forms[] = {"8K",      "8K_slot_nt",      "64K",  "64K_slot_nt",
                                 "64K_nt",  "64K_slot_nt_nt",  "512K", "512K_slot_nt",
                                 "512K_nt", "512K_slot_nt_nt", nullptr};
static_assert(std::size(forms) == std::size(table) + 1);

constexpr std::size_t largest_half = 256 * KiB / sizeof(float);  // floats of a slot
constexpr std::size_t line_floats = 16;
constexpr std::uint64_t depth = 4;       // slots of each stage: chunks that a rank may run ahead
enum Progress { given, summed, taken };  // counters: chunks done

std::unique_ptr<pair::Pair> ranks;
std::uint64_t chunks_before = 0;  // of earlier calls: counters and slots go on
const Form* form_before = nullptr;
Guard guard;

constexpr std::size_t room_bytes = 2 * 2 * depth * largest_half * sizeof(float);

// One call: chunk k of it is chunk chunks_before + k of all.
class AllReduce {
 public:
  AllReduce(const float* send, float* receive, std::size_t count, const Form& form)
      : send_(send), receive_(receive), count_(count), form_(form) {}

  void run() {
    // Slots of another size lie elsewhere: the other rank must have read all it was given.
    if (form_before != &form_) ranks->other(taken).await(chunks_before);
    form_before = &form_;
    const std::uint64_t chunks = (count_ + chunk_floats() - 1) / chunk_floats();
    for (std::uint64_t step = 0; step < chunks + 2; ++step) {
      if (step < chunks) give(step);
      if (step >= 1 && step - 1 < chunks) sum(step - 1);
      if (step >= 2) take(step - 2);
    }
    chunks_before += chunks;
  }

 private:
  struct Half {
    std::size_t from, count;
  };
  std::size_t chunk_floats() const { return form_.chunk / sizeof(float); }

  // The half of a chunk that `rank` sums. The last chunk may be short.
  Half half(std::uint64_t chunk, int rank) const {
    const std::size_t from = chunk * chunk_floats();
    const std::size_t whole = std::min(chunk_floats(), count_ - from);
    const std::size_t lower = whole / 2 / line_floats * line_floats;
    return rank == 0 ? Half{from, lower} : Half{from + lower, whole - lower};
  }

  // Half a chunk each: what was given to the other rank, and the sums for it. They lie close
  // together: slots far apart by a power of two would share few sets of a cache.
  float* slot(int rank, Progress stage, std::uint64_t chunk) const {
    const std::size_t index = (rank * 2 + (stage == summed ? 1 : 0)) * depth + chunk % depth;
    return reinterpret_cast<float*>(ranks->room()) + index * (chunk_floats() / 2);
  }

  // A slot is free again when its reader is `depth` chunks on.
  static void await_free(const Counter& readers, std::uint64_t chunk) {
    if (chunk + 1 > depth) readers.await(chunk + 1 - depth);
  }

  void give(std::uint64_t k) {
    const std::uint64_t chunk = chunks_before + k;
    const Half part = half(k, other_);
    await_free(ranks->other(summed), chunk);
    pair::copy(slot(own_, given, chunk), send_ + part.from, part.count, form_.slot);
    ranks->own(given).reach(chunk + 1);
  }

  void sum(std::uint64_t k) {
    const std::uint64_t chunk = chunks_before + k;
    const Half part = half(k, own_);
    ranks->other(given).await(chunk + 1);
    await_free(ranks->other(taken), chunk);
    pair::add({receive_ + part.from, form_.result}, {slot(own_, summed, chunk), form_.slot},
              send_ + part.from, slot(other_, given, chunk), part.count);
    ranks->own(summed).reach(chunk + 1);
  }

  void take(std::uint64_t k) {
    const std::uint64_t chunk = chunks_before + k;
    const Half part = half(k, other_);
    ranks->other(summed).await(chunk + 1);
    pair::copy(receive_ + part.from, slot(other_, summed, chunk), part.count, form_.result);
    ranks->own(taken).reach(chunk + 1);
  }

  const float* const send_;
  float* const receive_;
  const std::size_t count_;
  const Form& form_;
  const int own_ = ranks->rank(), other_ = 1 - own_;
};

bool start(const PeerJob* job) {
  return guard.run([&] { ranks = std::make_unique<pair::Pair>(*job, room_bytes); });
}

bool supports(weft_collective_t kind, weft_datatype_t type, weft_op_t op) {
  return kind == weft_collective_all_reduce && type == weft_float32 && op == weft_sum;
}

// Chunks of a size that the message has once at least, and not thousands of times; results go past
// the caches only where they would not stay there.
bool fits(weft_collective_t, int form, std::size_t bytes) {
  const Form& asked = table[form];
  if (asked.result == streaming && bytes < 1024 * KiB) return false;
  const bool is_smallest = asked.chunk == table[0].chunk;
  return (bytes >= asked.chunk || is_smallest) && bytes / asked.chunk <= 512;
}

const Form& chosen(const PeerCall& call) {
  if (call.form != own_choice) return table[call.form];
  const std::size_t bytes = call.count * sizeof(float);
  return table[bytes < 64 * KiB ? 0 : bytes < 512 * KiB ? 2 : 6];
}

bool call(const PeerCall* call) {
  return guard.run([&] {
    AllReduce(static_cast<const float*>(call->send), static_cast<float*>(call->receive),
              call->count, chosen(*call))
        .run();
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Peer* weft_perf_peer() {
  static const Peer peer = {.version = peer_version,
                            .name = "pipe",
                            .uneven = false,
                            .forms = forms,
                            .start = start,
                            .see = nullptr,
                            .product = [] { return "reference code through shared slots"; },
                            .supports = supports,
                            .fits = fits,
                            .call = call,
                            .finish = [] { ranks.reset(); },
                            .error = [] { return guard.error(); }};
  return &peer;
}
