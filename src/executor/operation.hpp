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

// A function applied to every element, with its parameter; empty: none.
struct Map {
  MapFunction function = nullptr;
  const void* parameter = nullptr;
  explicit operator bool() const { return function; }
};

// Smaller messages are copied into the receiver's slot, which is over sooner than the credit for a
// loan is back.
inline constexpr u64 least_mapped_bytes = 4096;

// Where a buffer lies in a region that peers of the node map; region 0: in none.
struct Shared {
  transport::RegionKey region = 0;
  u64 offset = 0;  // of the pointer, modulo 2^64
};

struct Operation {
  // Set by the caller. The buffers are those of the whole vector: where a buffer is a window of it,
  // the pointer is that of the window moved back by the window's offset.
  const Plan* plan = nullptr;
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::array<Shared, schedule::first_plane> shared{};  // of input and output
  Reduction reduce;
  u32 element_bytes = 1;       // of what travels and is combined
  u32 user_element_bytes = 1;  // of the buffers
  // Elements may be changed on their way: `before` makes an image of the input, slice by slice, in
  // a scratch plane, where the program then reads it; `scale` changes results where they are;
  // `after` brings them from a scratch plane, where the program then writes, to the output. Sizes
  // differ only where `before` and `after` are both there.
  Map before, scale, after;
  Signature signature;
  // Nanoseconds of Clock; 0: timeout_seconds after somebody first looks, which spares a short call
  // the look at the clock. May be brought forward by the thread that waits.
  std::atomic<i64> deadline{0};
  std::atomic<double> timeout_seconds{1e9};

  // Kept by the engine.
  u64 call = 0;  // number of the call on its communicator
  u64 first_instance = 0;
  u64 next_slice = 0;   // the next one to start
  u64 slices_left = 0;  // not retired yet
  Error error;          // valid once failed

  enum class State : u32 { idle, running, succeeded, failed };
  std::atomic<State> state{State::idle};
  bool done() const { return state.load(std::memory_order_acquire) >= State::succeeded; }
  // By the caller, before anyone else knows of it. `watched`: another thread may wait for it, or a
  // callback be set; else ending it is one plain store.
  void prepare(bool watched);
  bool is_watched() const { return watched_; }
  // Ends it, by the driving thread: from the moment that done() is true it is the caller's again.
  void conclude(const Error* failure);
  // Has `function(argument, code)` called once when the operation ends, by whoever ends it; at once
  // if it has. By the caller, at most once.
  using Function = void (*)(void* argument, Code outcome);
  void on_completion(Function function, void* argument);

 private:
  enum class Callback : u32 { none, set, due };
  bool watched_ = true;
  std::atomic<Callback> callback_{Callback::none};
  Function function_ = nullptr;
  void* argument_ = nullptr;
  Code outcome_ = Code::ok;
};

// Of each frame that runs it: the program's, and the images of input and output.
u64 scratch_planes(const Operation& operation);

}  // namespace weft::executor
