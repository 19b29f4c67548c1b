// Faults on purpose: a decorator over any transport that does to its messages what WEFT_FAULT says.
//
// A rule names transports, a fault and where it strikes: `tcp:drop,rank=2,peer=0,message=100` loses
// the hundredth message that rank 2 sends to rank 0 over tcp. The decorator keeps the rules of
// transport/transport.hpp, so it passes the conformance suite and everything above it must cope.
// Lifetime: values; a decorated transport owns the one inside. Threads: as any transport.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "transport/transport.hpp"

namespace weft::fault {

enum class Kind : u8 {
  rate,     // no more than so many bytes a second are accepted, of puts and notices to all peers
  delay,    // a message leaves so much later, and those behind it with it
  drop,     // a message vanishes
  corrupt,  // a bit of a message's data changes on its way
  close,    // the connection ends as if its cable were cut: both ends see it
  silence,  // from this message on nothing goes to the peer or comes from it, and nobody is told
  freeze,   // the process stops, as by SIGSTOP
  kill,     // the process ends, as by SIGKILL
};
const char* name_of(Kind kind);

// Whole numbers from first to last, both included.
struct Range {
  u64 first = 0, last = ~u64{0};
  bool holds(u64 number) const { return first <= number && number <= last; }
  bool is_given() const { return first != 0 || last != ~u64{0}; }
};

// One fault, and where it strikes: at every message that meets all conditions. Messages are counted
// among those that meet `peers` and `operations`.
struct Rule {
  Kind kind = Kind::rate;
  u64 rate = 0;           // bytes a second
  Duration delay{};       // how much later
  Range ranks, peers;     // whose transport, and the other end
  Range operations;       // calls on the communicator, from 0
  Range messages;         // from 1
  std::optional<u64> at;  // the message with this byte, from 0, of all data sent
  double chance = 1;      // of each message that meets the rest
  u64 seed = 0;           // the same seed, rule and messages: the same hits
  std::string text;       // as it was written
};
using Rules = std::vector<Rule>;

// WEFT_FAULT, understood: rules separated by ';'. The grammar is in plan.cpp and docs/faults.md.
class Plan {
 public:
  // `transports`: the names that exist, for the error about one that does not. Errors:
  // invalid_argument, with the part that is wrong and what could stand there.
  static Result<Plan> parse(std::string_view text, const std::vector<std::string>& transports);

  // Those for this transport of this rank.
  Rules rules(std::string_view transport, u32 rank) const;

 private:
  struct Placed {
    std::string transport;  // "all": each
    Rule rule;
  };
  std::vector<Placed> rules_;
};

// What a notice says of the message that it announces. Who decorates knows how to read notices.
struct Message {
  u64 operation = 0;        // the call it belongs to, from 0
  u64 bytes = 0;            // of data
  std::size_t inlined = 0;  // where in the notice the data begins; 0: it is not there
};
// Nothing: the notice is no message of an operation. Rules but those of rate let it pass.
using Look = std::optional<Message> (*)(transport::Notice notice);

// The same transport where there are no rules. Peers read each other's memory as ever, unless a
// rule is about every byte (rate, corrupt). `rank`: whose transport it is.
Result<std::unique_ptr<transport::Transport>> wrap(std::unique_ptr<transport::Transport> inner,
                                                   const Rules& rules, u32 rank, Look look);

}  // namespace weft::fault
