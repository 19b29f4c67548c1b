// Memory that processes share without a name in any file system: a memfd of a size that nobody can
// change, so that an address inside a mapping stays good whatever the other process does.
//
// Pages come into being when first touched. Lifetime: the memory lives as long as anyone maps it.
// Threads: values.
#pragma once
#include "base/handle.hpp"

namespace weft::shm {

struct Segment {
  Fd file;
  std::size_t bytes = 0;
  Mapping pages;  // none of a file of the caller's, who has it mapped
};

Result<Segment> create_segment(std::size_t bytes);  // zeroed
// The caller's file, if its size is fixed; the descriptor is duplicated.
Result<Segment> adopt_segment(int file, std::size_t bytes);
// Maps what a peer sent, if it is what he says: a sealed segment of that size.
Result<Mapping> map_segment(int file, std::size_t bytes);

}  // namespace weft::shm
