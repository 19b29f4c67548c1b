// Freedom from deadlock: a run with no buffer at all, to the end or to the circle of who waits for
// whom.
//
// A receive moves once it and all its sends have issued; a send retires once all its receives have
// moved. That is the strictest a transport can be, so any number of slots works too, and so does
// any message size: an empty message only takes conditions away. One run is a proof, because
// nothing in the rules depends on a choice: a step that may issue, move or retire stays able to,
// whatever else happens first. Threads: pure.
#pragma once
#include <vector>

#include "verify/matching.hpp"

namespace weft::verify {

struct Moment {
  enum What : u8 { issue, move, retire };
  u32 task;
  u16 instance;
  What what;
};
using History = std::vector<Moment>;

// `instances` run one after the other in one frame. `window`: at most so many steps of a lane may
// have issued and not retired; an executor must not bound them, and this tells how much a schedule
// would suffer from one that does.
// Requires instances < 2^16.
Result<History> run(const Layout& layout, const Mates& mates, u32 instances, u32 window);

}  // namespace weft::verify
