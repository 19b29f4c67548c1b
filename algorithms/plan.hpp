// A chosen algorithm on a shape: from here every rank's generator is had, lazily.
//
// A Plan is made once a communicator and keeps what all ranks share (a few words a node, none a
// rank unless ranks are permuted). A Generator is one rank's walk over its steps: at most 1 KiB, no
// heap, any step alone in O(log p). Generators point to their Plan, which must outlive them.
// Threads: a Plan is immutable; a Generator belongs to one thread.
#pragma once
#include <string_view>
#include <vector>

#include "algorithms/phase.hpp"
#include "base/result.hpp"
#include "schedule/collective.hpp"
#include "schedule/partition.hpp"
#include "schedule/program.hpp"
#include "schedule/shape.hpp"

namespace weft::algorithms {

using schedule::Kind;
using schedule::Order;
using schedule::Shape;

struct Algorithm;
class Generator;

class Plan {
 public:
  // Fails with why not: unknown name, a kind or a shape it cannot do, a root that is no rank. The
  // root matters to the collectives that have one.
  static Result<Plan> make(std::string_view algorithm, Kind kind, const Shape& shape, u32 root = 0);

  Generator generator(u32 rank) const;
  schedule::Program emit(u32 rank) const;
  schedule::Tiling tiling() const;
  schedule::Collective collective() const;
  Order order() const;

  Kind kind() const { return kind_; }
  const Shape& shape() const { return shape_; }
  u32 root() const { return root_; }
  u32 ranks() const { return base_.back(); }
  u32 atoms() const { return shards_ * sub_; }
  u32 shards() const { return shards_; }
  // Which rail the messages of a port take between nodes; 0 for ports inside a node.
  u32 rail_of(u8 port) const;

 private:
  friend class Generator;
  friend class LazyLevel;
  enum class Form : u8 {
    flat,     // one level of all ranks
    shards,   // each shard on its own rail, between phases in the node
    leaders,  // one rank a node speaks for it
    pairs,    // all-to-all: first to the rank of the node that has the place of the receiver in his
  };

  Plan(const Algorithm& intra, const Algorithm* inter, Kind kind, const Shape& shape, u32 root);
  Status fits() const;

  u32 nodes() const { return shape_.nodes(); }
  // The first shard of a node's local rank; its block ends where the next one's begins.
  u32 first_shard(u32 node, u32 local) const;
  u32 owner_seat(u32 node, u32 shard) const;
  u32 node_of(u32 seat) const;
  u32 seat_of(u32 rank) const { return seat_.empty() ? rank : seat_[rank]; }
  u32 leader_seat(u32 node) const;
  // The algorithm of a phase in a node of `positions` ranks: two-shot where `intra` cannot.
  const Algorithm& in_node(Kind phase, u32 positions) const;
  bool has_blocks() const { return schedule::has_blocks(kind_); }

  const Algorithm* intra_;  // flat: the algorithm
  const Algorithm* inter_;  // flat: null
  Kind kind_;
  Shape shape_;
  u32 root_;
  Form form_ = Form::flat;
  u32 shards_ = 1, sub_ = 1;
  std::vector<u32> base_;  // node -> its first seat; one more at the end
  std::vector<u32> seat_;  // rank -> seat, where ranks are permuted
};

// What a rank sees of the world on one level, without a list: the lazy form of schedule::Level.
// level.cpp
class LazyLevel {
 public:
  u32 positions() const { return positions_; }
  u32 me() const { return me_; }
  u32 chunks() const { return chunks_; }
  u32 rank(u32 position) const;
  // The first entry of a chunk; cut(chunks()) is the end. Entries are atoms, or where is_listed()
  // places of a list of them.
  u32 cut(u32 chunk) const;
  bool is_listed() const { return of_ >= Of::pairs; }
  u32 atom(u32 entry) const;

 private:
  friend class Generator;
  // All-to-all: all pairs, and the three phases of its hierarchical form.
  enum class Of : u8 { all, node, shard, leaders, pairs, to_rails, rail, node_pairs };
  Pair pair(u32 entry) const;  // by seats
  const Plan* plan_ = nullptr;
  Of of_ = Of::all;
  u32 positions_ = 1, me_ = 0, chunks_ = 1;
  u32 index_ = 0;  // the node or the shard
  u32 local_ = 0;
};

class Generator {
 public:
  bool next(Step& step);  // false at the end
  u32 size(Lane lane) const;
  Step at(Lane lane, u32 i) const;  // i < size(lane)
  u32 lanes() const;
  u32 levels() const;
  LazyLevel level(u32 i) const;
  u32 rank() const { return rank_; }

 private:
  friend class Plan;
  // A phase of the composition and the joins at the head of its lanes. Part i has the lanes 3 i to
  // 3 i + 2.
  struct Part {
    Phase phase = Alone(Place{});
    u32 joins[roles] = {0, 0, 0};
  };
  Generator(const Plan& plan, u32 rank);
  u32 parts() const;
  Part part(u32 i) const;
  Part first_part() const;
  Part shard_part(u32 t) const;
  Part last_part() const;
  Part between_leaders() const;
  Part leader_to_node() const;
  Part gather_in_node() const;
  Part rails_part(u32 i) const;
  Part joined_after_first(Place place) const;
  Done join_waits(u32 part, Role role, u32 i) const;
  Step join(u32 part, Role role, u32 i) const;
  Place place_in_node(u32 part) const;
  Place place_between(u32 t) const;
  bool is_root() const;
  // Where a phase in the node leaves what the leader, or the rank itself, is to pass on.
  schedule::Buffer partials() const;

  const Plan* plan_;
  u32 rank_ = 0, node_ = 0, local_ = 0, node_size_ = 1;
  u32 first_shard_ = 0, shard_count_ = 0;
  bool has_first_ = false, has_last_ = false;  // a phase in the node before, after those between
  bool leads_ = false;                         // speaks for the node
  u32 current_ = 0;                            // the part that next() walks: its joins, then walk_
  u32 joined_[roles] = {0, 0, 0};
  Part walk_;
};
static_assert(sizeof(Generator) <= 1024);

}  // namespace weft::algorithms
