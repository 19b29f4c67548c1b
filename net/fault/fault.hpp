// Faults on purpose: a decorator over any transport that does to its posts what WEFT_FAULT says.
//
// A rule names a transport and a policy: `tcp:rate=100M` limits what the tcp transport of this rank
// accepts to 100 MiB a second, by answering busy. The decorator keeps the rules of
// transport/transport.hpp, so it passes the conformance suite and everything above it must cope.
// Since only posts can be held back, a decorated transport shows its memory to nobody: it neither
// maps nor shares an address space.
// Lifetime: values; a decorated transport owns the one inside. Threads: as any transport.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"

namespace weft::fault {

// What is done to the posts of one transport.
struct Rules {
  u64 rate = 0;  // bytes per second, of puts and notices to all peers together; 0: no limit

  bool any() const { return rate != 0; }
  std::string text() const;  // "rate=104857600"
};

// WEFT_FAULT, understood: TRANSPORT:POLICY=VALUE[,POLICY=VALUE...], several separated by ';'.
class Plan {
 public:
  // `transports`: the names that exist, for the error about one that does not. Errors:
  // invalid_argument, with the part that is wrong and what could stand there.
  static Result<Plan> parse(std::string_view text, const std::vector<std::string>& transports);

  Rules rules(std::string_view transport) const;

 private:
  std::vector<std::pair<std::string, Rules>> rules_;  // by transport
};

// The same transport where the rules are none.
Result<std::unique_ptr<transport::Transport>> wrap(std::unique_ptr<transport::Transport> inner,
                                                   const Rules& rules);

}  // namespace weft::fault
