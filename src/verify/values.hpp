// What every rank ends with: each contribution exactly once, in the promised tree, the same on all
// ranks.
//
// The run without buffers is replayed on trees. Since no access races (proved beside), every other
// execution gives the same values; and since atoms are independent, so does every message size. All
// programs are held at once, so this is exact and not sampled. Scratch is unwritten at the start of
// each instance: what an earlier instance left there is not data. Threads: pure.
#pragma once
#include "verify/progress.hpp"
#include "verify/trees.hpp"
#include "verify/verify.hpp"

namespace weft::verify {

// The weakest order of all outputs: canonical, shape or fast.
Result<Order> check_values(const Layout& layout, const Mates& mates, const History& history,
                           const Options& options, bool in_place);

// A barrier moves no data: no rank may leave before all have come.
Status check_barrier(const Layout& layout, const Mates& mates, const History& history);

}  // namespace weft::verify
