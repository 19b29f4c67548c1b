// Joins what ranks wrote for WEFT_TRACE into one trace, their clocks aligned.
//
// Ranks of one host share a clock. Hosts are aligned at the moment in which the ranks of a
// communicator have met, the end of the last exchange of its creation: the first rank of each host
// to leave it left at the same time, give or take the way of a message. Memory: one event at a
// time. Threads: one.
#pragma once
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::cli {

// One file: what stands in front of its events.
struct RankFile {
  std::string path, communicator, host, node;
  u32 rank = 0, ranks = 1;
  i64 origin = 0;  // nanoseconds of the host's clock at which the ranks had met
  u64 dropped = 0;
};

// All files of ranks in the folder and those below it, by communicator and rank; the communicator
// with most ranks first. Errors: there is none, or one that cannot be read.
Result<std::vector<RankFile>> find_rank_files(const std::string& folder);

// By host: nanoseconds to add to its clock, so that the first meeting is at zero. Hosts that met
// nobody, not even by way of others, begin at zero themselves.
std::map<std::string, i64> align(const std::vector<RankFile>& files);

// Writes the merged trace; returns how many events of steps there are.
Result<u64> merge(const std::vector<RankFile>& files, std::ostream& to);

}  // namespace weft::cli
