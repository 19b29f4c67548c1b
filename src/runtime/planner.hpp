// Makes and keeps the plans of a communicator: choose, emit, lower, once for each shape of call.
//
// Threads: the thread that drives the engine.
#pragma once
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
  // The plan for this call, made now if it is new. Valid as long as the planner.
  Result<const executor::Plan*> plan(const Call& call);
  Result<std::string> explain(const Call& call) const;

 private:
  struct Key {
    schedule::Kind kind;
    u64 count;
    u64 element_bytes;
    u32 root;
    auto operator<=>(const Key&) const = default;
  };
  Result<std::unique_ptr<executor::Plan>> make(const Call& call);

  World world_;
  u32 rank_;
  channel::Fabric& fabric_;
  std::map<Key, std::unique_ptr<executor::Plan>> plans_;
};

}  // namespace weft::runtime
