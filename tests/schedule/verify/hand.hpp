// Small schedules written by hand, so that the verifier's tests depend on no generator.
#pragma once
#include <numeric>
#include <vector>

#include "schedule/program.hpp"

namespace weft::verify::hand {

using schedule::Buffer;
using schedule::Program;
using schedule::Span;
using schedule::Step;
using schedule::Verb;
using schedule::Wait;
inline constexpr Buffer input = schedule::input, output = schedule::output,
                        plane = schedule::first_plane;

inline Span at(Buffer buffer, u32 first, u32 stride = 0) {
  return {.first = first, .buffer = buffer, .stride = u8(stride)};
}

// One level of all ranks, chunks of one atom each.
inline Program program(u32 rank, u32 ranks, u32 atoms, u32 lanes, u32 planes,
                       std::vector<Step> steps) {
  schedule::Level level{
      .rank = std::vector<u32>(ranks), .me = rank, .cut = std::vector<u32>(atoms + 1)};
  std::iota(level.rank.begin(), level.rank.end(), 0);
  std::iota(level.cut.begin(), level.cut.end(), 0);
  return {.rank = rank,
          .ranks = ranks,
          .atoms = atoms,
          .planes = planes,
          .lanes = lanes,
          .levels = {level},
          .steps = std::move(steps)};
}

inline Step on(u8 lane, Step s, Wait a = {}, Wait b = {}) {
  s.lane = lane;
  s.set_wait(0, a);
  s.set_wait(1, b);
  return s;
}
inline Step send(u32 peer, Span source, u32 count = 1, u16 fan = 1) {
  return {.source = source, .count = count, .peer = peer, .fan = fan, .verb = Verb::send};
}
inline Step recv(u32 peer, Span target, u32 count = 1) {
  return {.target = target, .count = count, .peer = peer, .verb = Verb::recv};
}
inline Step recv_reduce(u32 peer, Span target, Span source, bool right, u32 count = 1) {
  source.right = right;
  return {
      .target = target, .source = source, .count = count, .peer = peer, .verb = Verb::recv_reduce};
}
inline Step reduce_fan(u32 first, u16 fan, Span target, Span source) {
  return {.target = target,
          .source = source,
          .count = 1,
          .peer = first,
          .fan = fan,
          .verb = Verb::recv_reduce};
}
inline Step copy(Span target, Span source, u32 count = 1) {
  return {.target = target, .source = source, .count = count, .verb = Verb::copy};
}
inline Step reduce(Span target, Span left, Span right, u32 count = 1) {
  return {.target = target, .source = left, .second = right, .count = count, .verb = Verb::reduce};
}

// Two ranks exchange their input and add it up beside: correct, canonical, in place too.
inline std::vector<Program> pair_all_reduce() {
  std::vector<Program> programs;
  for (u32 r = 0; r < 2; ++r) {
    const Span mine = at(input, 0), theirs = at(plane, 0);
    programs.push_back(program(
        r, 2, 1, 3, 1,
        {on(0, send(1 - r, mine)), on(1, recv(1 - r, theirs)),
         on(2, reduce(at(output, 0), r ? theirs : mine, r ? mine : theirs), {0, 1}, {1, 1})}));
  }
  return programs;
}

// Every rank sends its input to all with one fan, and adds up what comes by the tree over ranks.
inline std::vector<Program> one_shot(u32 ranks) {
  std::vector<Program> programs;
  for (u32 r = 0; r < ranks; ++r)
    programs.push_back(program(r, ranks, 1, 3, 1,
                               {on(0, send(0, at(input, 0), 1, u16(ranks))),
                                on(1, reduce_fan(0, u16(ranks), at(plane, 0), at(input, 0))),
                                on(2, copy(at(output, 0), at(plane, 0)), {0, 1}, {1, 1})}));
  return programs;
}

}  // namespace weft::verify::hand
