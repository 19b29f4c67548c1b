// The vocabulary of a schedule: what one rank does, in chunks, never in bytes.
//
// A Step is plain data of 48 bytes. Whatever is run, proved or timed is a list of these steps; the
// rules they obey (lanes, waits, channels, fans, empty messages) are in README.md beside this file.
// Threads: values.
#pragma once
#include <type_traits>

#include "base/types.hpp"

namespace weft::schedule {

enum class Verb : u8 {
  send,         // source -> each of the fan's positions
  recv,         // target <- incoming
  recv_reduce,  // target <- source (op) incoming; with a fan: the canonical tree over positions
  copy,         // target <- source
  reduce,       // target <- source (op) second
};  // a copy with count 0 is a join: it moves nothing and orders what follows on its lane
const char* name_of(Verb verb);  // "recv_reduce"

// Which memory a span is in. Plane k of scratch is an image of the whole vector, so a chunk is the
// same data with one extent in every buffer.
using Buffer = u8;
inline constexpr Buffer input = 0, output = 1, first_plane = 2, nowhere = 0xff;

// Chunk k of a span is first + k * 2^stride, modulo the chunks of the step's level; on the wire in
// the order of k. How many chunks there are is the step's, one number for all its spans.
struct Span {
  u32 first = 0;
  Buffer buffer = nowhere;
  u8 stride = 0;       // log2
  bool right = false;  // the source of recv_reduce stands on the right of op, the incoming message
                       // on the left
  u8 unused = 0;

  bool valid() const { return buffer != nowhere; }
  u32 chunk(u32 k, u32 chunks) const { return u32((first + (u64(k) << stride)) % chunks); }
  bool operator==(const Span&) const = default;
};

using Lane = u8;
inline constexpr Lane no_lane = 0xff;

// Holds when the first `steps` steps of `lane` have retired in this instance.
struct Wait {
  Lane lane = no_lane;
  u32 steps = 0;
  bool valid() const { return lane != no_lane; }
  bool operator==(const Wait&) const = default;
};

struct Step {
  Span target, source, second;
  u32 count = 0;  // chunks of each span
  u32 peer = 0;   // a position of the level: the first of `fan`
  u32 wait_steps[2] = {0, 0};
  Lane wait_lane[2] = {no_lane, no_lane};
  u16 fan = 1;  // positions peer .. peer + fan - 1; the own one is local, no message
  Verb verb = Verb::copy;
  Lane lane = 0;
  u8 port = 0;
  u8 level = 0;

  bool sends() const { return verb == Verb::send; }
  bool receives() const { return verb == Verb::recv || verb == Verb::recv_reduce; }
  bool is_local() const { return !sends() && !receives(); }
  Wait wait(int i) const { return {wait_lane[i], wait_steps[i]}; }
  void set_wait(int i, Wait w) { wait_lane[i] = w.lane, wait_steps[i] = w.steps; }
  bool operator==(const Step&) const = default;
};
static_assert(sizeof(Step) == 48 && std::is_trivially_copyable_v<Step>);

}  // namespace weft::schedule
