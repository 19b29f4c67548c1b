// Halving-doubling: reduce-scatter by halving the vector, all-gather by doubling it back.
//
// In round k a position exchanges with the one at distance 2^k half of what it still works on:
// chunk c is kept by the position that equals c in the low bits. 2 log2 g rounds and the bytes of a
// ring; distances grow, so every partial is an aligned interval and the sum has the canonical tree.
//
// All-reduce takes any number of positions, as binary blocks, largest first (13 = 8 + 4 + 1): each
// block halves alone, the smaller hands its partial up to the next larger, which adds it on the
// right; results come down the same way before each block doubles. Reduce-scatter and all-gather
// are the halves alone, for 2^k positions.
//
// Send lane:    halve | partials up | results down | redouble
// Receive lane: halve | partials from below | results from above | redouble
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

class HalvingDoubling : public Lazy<HalvingDoubling> {
 public:
  HalvingDoubling(schedule::Kind kind, const Place& place);
  u32 size(Lane role) const;
  Step at(Role role, u32 i) const;
  Done done() const {
    return {place_.after(receiving, size(receiving)), place_.after(local, size(local))};
  }

 private:
  Step send(u32 i) const;
  Step recv(u32 i) const;
  Step halve(Role role, u32 k) const;
  Step redouble(Role role, u32 i) const;
  // Chunks per position of my block, and of the block above: both keep chunk x at position x.
  Span kept(Buffer buffer, u32 position, u32 log2_block) const;

  Wait first_wait() const { return copies() ? place_.after(local, 1) : place_.ready; }
  bool copies() const { return !reduces_ && place_.in != place_.out; }
  u32 halvings() const { return reduces_ ? log2_ : 0; }
  u32 doublings() const { return gathers_ ? log2_ : 0; }
  // How many positions of the block above share their chunks with one of mine; 0 at the largest.
  u32 ups() const { return above_ ? 1u << (above_ - 1 - log2_) : 0; }
  bool has_below() const { return below_ != 0; }
  Buffer mine() const { return log2_ ? place_.out : place_.in; }

  bool reduces_, gathers_;
  u32 base_ = 0, log2_ = 0;    // my block: positions [base_, base_ + 2^log2_)
  u32 above_ = 0, below_ = 0;  // 1 + log2 of the next larger and smaller block; 0: there is none
  u32 j_ = 0;                  // my position in the block
};

}  // namespace weft::algorithms
