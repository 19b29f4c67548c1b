// One rank's program as a script, and what is the rank's own: peers, ports, wires.
// Threads: one a Lowering.
#pragma once
#include <vector>

#include "schedule/partition.hpp"
#include "simulate/cast.hpp"
#include "simulate/fabric.hpp"

namespace weft::simulate {

struct Own {
  u32 script = 0;
  std::vector<u32> peers;  // of each message
  std::vector<u8> ports;
  std::vector<u32> wires;  // of the fabric, in the order of first use
  std::vector<u32> mates;  // messages of the peers; filled in when matched
};

class Lowering {
 public:
  Lowering(const Programs& programs, const Call& call);

  u64 slices() const { return slices_; }
  // Fails on a program that names a position outside its level.
  Result<Script> lower(u32 rank, Own& own);

 private:
  u64 bytes(const schedule::Program& program, const schedule::Step& step, Part part) const;
  Status add_messages(const schedule::Program& program, const schedule::Step& step, Script& script,
                      Own& own) const;
  u16 wire(u32 wire, Own& own) const;

  const Programs& programs_;
  Fabric fabric_;
  u64 slices_ = 1;
  std::vector<u64> before_[2];  // bytes of the atoms before one, by Part
  bool is_pairs_ = false;       // all-to-all: of one atom, since all are of one size
};

}  // namespace weft::simulate
