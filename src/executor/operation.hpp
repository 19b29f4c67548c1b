// One call on its way through the engine.
//
// Lifetime: the caller's, until `done()`; the buffers too. Threads: filled in by the calling
// thread, then owned by the thread that drives the engine; `state` is what the two share.
#pragma once
#include <array>
#include <atomic>
#include <limits>
#include <optional>

#include "base/clock.hpp"
#include "base/datatype.hpp"
#include "channel/wire.hpp"
#include "executor/plan.hpp"

namespace weft::executor {

// What was called, as far as all ranks must agree; only the runtime knows what the bytes mean.
struct Signature {
  std::array<std::byte, channel::signature_bytes> bytes{};
  u32 hash = 0;
  bool operator==(const Signature&) const = default;
};

struct Operation {
  // Set by the caller. The buffers are those of the whole vector: where a buffer is a window of it,
  // the pointer is that of the window moved back by the window's offset.
  const Plan* plan = nullptr;
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  Reduction reduce;
  u32 element_bytes = 1;
  Signature signature;
  // Nanoseconds of Clock; may be brought forward by the thread that waits.
  std::atomic<i64> deadline{std::numeric_limits<i64>::max()};
  std::atomic<double> timeout_seconds{0};  // for the text

  // Kept by the engine.
  u64 call = 0;  // number of the call on its communicator
  u64 first_instance = 0;
  u64 next_slice = 0;   // the next one to start
  u64 slices_left = 0;  // not retired yet
  Error error;          // valid once failed

  enum class State : u32 { idle, running, succeeded, failed };
  std::atomic<State> state{State::idle};
  bool done() const { return state.load(std::memory_order_acquire) >= State::succeeded; }
};

}  // namespace weft::executor
