// What control processes tell each other: plain values, and their bytes.
//
// A job's processes are numbered by the lowest rank that each holds. Messages travel up to the root
// of the tree or down from it; the root alone decides, so that everybody hears the same in the same
// order. Integers are little-endian; a parser never reads past the end. Threads: values.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::control {

using Process = u32;                   // its number in the job
using CommId = u64;                    // of a communicator: the same on all its ranks
using Members = std::vector<Process>;  // of a communicator, by rank; processes repeat

// What has become of a process, as far as the job is concerned.
enum class Fate : u8 {
  alive,
  left,         // destroyed its communicators: its end means nothing any more
  killed,       // its connections ended without a word
  exited,       // it ended by exit() with communicators that it had not destroyed
  frozen,       // its kernel answers, it does not: stopped by a signal, or hung in the kernel
  silent,       // something accepts what is sent to it, and nothing comes back
  unreachable,  // not even its host answers
};
constexpr bool is_lost(Fate fate) { return fate > Fate::left; }
// As well the way to it as the process: others may know better.
constexpr bool is_doubtful(Fate fate) { return fate >= Fate::silent; }
const char* name_of(Fate fate);

// Why a rank's communicator cannot go on, as seen on that rank.
enum class Evidence : u8 {
  certain,    // nothing is to be found out: it failed here, or the user aborted it
  broken,     // a connection to a peer broke: is the peer alive?
  timed_out,  // a deadline passed: who is it that is late?
};

// One rank's operation, as its ledger has it.
struct Entry {
  u32 rank = 0;            // in its communicator
  u64 made = 0;            // calls made so far: the next one has this number
  u64 done = 0;            // all calls below this number have ended
  u64 age_ms = 0;          // since either last changed
  bool driven = false;     // somebody polls its engine: the rest is known
  u64 call = 0;            // the one that was asked about, and
  std::string called;      // what it is here; empty: not known
  u64 moved = 0;           // grows while the call makes headway
  std::vector<u32> peers;  // ranks whose doing it waits for
  std::string waits;       // in words
  bool operator==(const Entry&) const = default;
};

struct Beat {};  // nothing but: I am here
struct Part {};  // this link is not needed, and I am well
struct Left {    // up at once, down in batches
  std::vector<Process> processes;
};
struct Down {  // up: a suspicion; down: it is so
  Process process = 0;
  Fate fate = Fate::alive;
  std::string why;
};
struct Seek {  // down: whoever has heard of it lately, say so
  Process process = 0;
};
struct Seen {  // up: it is well; down: so it is, whoever suspected it
  Process process = 0;
};
struct Report {  // up
  CommId comm = 0;
  u32 rank = 0;
  Evidence evidence = Evidence::certain;
  u8 code = 0;
  u64 call = 0;  // timed_out: the call that has not ended
  std::string text;
  Members members;
};
struct Verdict {  // down: the same words for every rank of the communicator
  CommId comm = 0;
  u8 code = 0;
  std::string text;
};
// Up: tell me how the ranks of this communicator stand. `accuse`: calls that do not match are to
// become a verdict; `told`: the answer is wanted back.
inline constexpr u64 latest_call = ~u64{0};  // whichever a rank is in
struct Inquire {
  CommId comm = 0;
  u64 call = 0;
  bool accuse = false, told = false;
  Members members;
};
struct Ask {  // down
  u64 ticket = 0;
  CommId comm = 0;
  u64 call = 0;
};
struct Answer {  // up: of one process
  u64 ticket = 0;
  Process process = 0;
  std::vector<Entry> entries;
};
struct Survey {  // down: all answers; of who has destroyed the communicator there is no entry
  CommId comm = 0;
  std::string verdict;  // empty: only looked at
  Members members;
  std::vector<Entry> entries;
  std::vector<Process> silent;  // alive as far as is known, and have not answered
};
// Up: a rank's part of an exchange among those of a communicator that are still there. Each
// exchange has a number of its own, counted alike on all of them.
struct Contribution {
  CommId comm = 0;
  u64 exchange = 0;
  u32 rank = 0;
  std::string blob;
  Members members;
};
struct Gathered {  // down: everybody's part, by rank; nothing of those that are lost
  CommId comm = 0;
  u64 exchange = 0;
  std::vector<std::pair<u32, std::string>> blobs;
};

// Up: whose part is not there yet? Down: theirs.
struct Lacking {
  CommId comm = 0;
  u64 exchange = 0;
  std::vector<u32> ranks;
};

using Message = std::variant<Beat, Part, Left, Down, Report, Verdict, Inquire, Ask, Answer, Survey,
                             Contribution, Gathered, Seek, Seen, Lacking>;

inline constexpr std::size_t most_text_bytes = 4096, most_frame_bytes = 16u << 20;

std::string encode(const Message& message);
std::optional<Message> decode(std::string_view bytes);  // nothing: not whole, or no message at all

}  // namespace weft::control
