// A machine as numbers: what a message, a kernel, a slice and a call cost.
//
// Read from perf/machines/*.json, where every number has its source. Nothing here is fitted to a
// prediction. Times are whole picoseconds and bandwidths whole bytes a second, so that a simulation
// is exact and the same everywhere. Threads: values.
#pragma once
#include <iosfwd>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::simulate {

using Time = u64;  // picoseconds
inline constexpr Time picoseconds_per_second = 1'000'000'000'000;

struct Rate {
  u64 bytes_per_second = 1;
  // Rounded up to a whole picosecond; exact, whatever the size.
  Time time(u64 bytes) const {
    const unsigned __int128 scaled = (unsigned __int128)(bytes)*picoseconds_per_second;
    return Time((scaled + bytes_per_second - 1) / bytes_per_second);
  }
};

// LogGP of one level (Alexandrov, Ionescu, Schauser, Scheiman, 1995): L, o at each end, g, G, and
// what their o leaves out.
struct Link {
  Rate bandwidth;          // 1 / G, in each direction: of a rank inside a node, of one rail outside
  Time latency = 0;        // L: wire and switches, first byte out to first byte in
  Time send_overhead = 0;  // o of the sender: its progress thread hands over one message
  Time receive_overhead = 0;  // o of the receiver: its progress thread takes notice of one message
  Time gap = 0;               // g: the least that a message occupies a port
  Time doorbell = 0;          // the write that tells the card; 0 where there is no card
  Time launch = 0;            // until whoever moves the bytes begins: a kernel; 0 for a card
  Time signal = 0;            // the sender's progress thread takes notice of one completion
  u64 eager_bytes = 0;        // up to here a message needs no grant and lands in a slot
};

struct Machine {
  std::string name, about;
  u32 ranks = 1, rails = 1;  // of a node, where the caller does not say
  Link intra, inter;
  Time issue = 0;          // the progress thread issues one step
  Time kernel_launch = 0;  // a reduction or copy: from its call until it runs
  Time kernel_finish = 0;  // from its end until the progress thread knows
  Rate reduction;          // bytes that arrive for a sum
  Rate copy;               // bytes copied
  Time call = 0;           // once a call: from the application until the first instance
  Time frame = 0;          // the progress thread starts one instance in its frame
};

// Reads and checks: every key is there and known, every number is in range and has a source.
// `where` names the input in errors.
Result<Machine> read_machine(std::istream& from, const std::string& where);
Result<Machine> load_machine(const std::string& path);

}  // namespace weft::simulate
