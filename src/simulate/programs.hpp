// Where the simulator gets its programs from: an interface, since it may not know the algorithms.
//
// Whoever composes (the weft tool, a test) hands in programs as they run. The simulator asks for
// one rank at a time and keeps none of them. Lifetime: must outlive the lowering. Threads: one.
#pragma once
#include <vector>

#include "schedule/partition.hpp"
#include "schedule/program.hpp"
#include "schedule/schedule.hpp"
#include "schedule/shape.hpp"

namespace weft::simulate {

class Programs {
 public:
  virtual ~Programs() = default;
  virtual schedule::Program program(u32 rank) const = 0;
  virtual schedule::Tiling tiling() const = 0;
  virtual schedule::Kind kind() const = 0;
  virtual const schedule::Shape& shape() const = 0;
  // The rail that a rank's messages of a port take between nodes; below shape().rails.
  virtual u32 rail(u32 rank, u8 port) const = 0;
};

// For schedules that leave the rail open: the ranks of a node are dealt out to its rails in blocks.
inline std::vector<u32> nearest_rails(const schedule::Shape& shape) {
  std::vector<u32> rails(shape.ranks());
  u32 seat = 0;
  for (u32 size : shape.size)
    for (u32 i = 0; i < size; ++i) rails[shape.rank_at(seat++)] = u32(u64(i) * shape.rails / size);
  return rails;
}

// Programs that are written out already.
class Written : public Programs {
 public:
  Written(schedule::Schedule schedule, schedule::Shape shape)
      : schedule_(std::move(schedule)), shape_(std::move(shape)), rails_(nearest_rails(shape_)) {}
  schedule::Program program(u32 rank) const override { return schedule_.programs[rank]; }
  schedule::Tiling tiling() const override { return schedule_.tiling; }
  schedule::Kind kind() const override { return schedule_.collective.kind; }
  const schedule::Shape& shape() const override { return shape_; }
  u32 rail(u32 rank, u8) const override { return rails_[rank]; }

 private:
  schedule::Schedule schedule_;
  schedule::Shape shape_;
  std::vector<u32> rails_;
};

}  // namespace weft::simulate
