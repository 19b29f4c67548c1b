// Makes and keeps the plans of a communicator: choose, emit, lower, once for each shape of call.
//
// The plans used last are kept, so that a job whose counts vary does not grow without bound.
// Threads: the thread that drives the engine; `users` is shared with the one that waits.
#pragma once
#include <atomic>
#include <map>
#include <memory>

#include "executor/plan.hpp"
#include "runtime/call.hpp"
#include "runtime/selector.hpp"

namespace weft::runtime {

class Planner {
 public:
  Planner(World world, u32 rank, channel::Fabric& fabric)
      : world_(std::move(world)), rank_(rank), fabric_(fabric) {}
  struct Entry {
    std::unique_ptr<executor::Plan> plan;
    std::atomic<u32> users{0};  // operations that run it: it stays
    u64 last_use = 0;
  };
  // The plan for this call, made now if it is new. Valid while it has users, or until the next
  // call.
  Result<Entry*> plan(const Call& call, const Recipe& recipe);
  Result<std::string> explain(const Call& call, const Recipe& recipe) const;

 private:
  struct Key {
    schedule::Kind kind;
    u64 count;
    u64 element_bytes;
    u32 root;
    Need need;
    std::vector<u64> sizes;  // of uneven blocks, and their places
    auto operator<=>(const Key&) const = default;
  };
  Result<Choice> choose(const Call& call, u64 bytes, Need need) const;
  Result<std::unique_ptr<executor::Plan>> make(const Call& call, const Recipe& recipe);
  void make_room();

  World world_;
  u32 rank_;
  channel::Fabric& fabric_;
  std::map<Key, Entry> plans_;
  Key last_key_{};
  Entry* last_ = nullptr;  // the plan that was asked for last
  u64 uses_ = 0;
};

}  // namespace weft::runtime
