// The loops of the reference back-ends, in the best instructions of the machine they run on.
//
// Each comes with two kinds of store. Cached stores fetch a line before they change it, and leave
// it where a reader on the same cache finds it. Streaming stores write around the caches: nothing
// is fetched, so a line that the other core holds costs no hand-over, but its next reader goes to
// memory. Which one wins depends on size and on how far apart the cores are, so the back-ends try
// both. Threads: pure functions.
#pragma once
#include <cstddef>

namespace weft::perf::pair {

enum class Store { cached, streaming };

// What was stored is visible to whoever sees a release store made afterwards.
void copy(float* to, const float* from, std::size_t count, Store store);
void add(float* to, const float* a, const float* b, std::size_t count, Store store);

// One sum into two targets: it is read once and written twice, in one pass.
struct Target {
  float* to;
  Store store;
};
void add(Target first, Target second, const float* a, const float* b, std::size_t count);

}  // namespace weft::perf::pair
