// Who is known to have come when a step issues and when it has retired. Knowledge travels with
// messages only; a barrier's one atom is a token that is never empty, so its messages always fly.
#include <algorithm>

#include "verify/explain.hpp"
#include "verify/values.hpp"

namespace weft::verify {
namespace {

class Arrivals {
 public:
  Arrivals(const Layout& layout, const Mates& mates)
      : layout_(layout),
        mates_(mates),
        words_((layout.ranks() + 63) / 64),
        issue_(layout.task.size() * words_),
        retire_(issue_.size()) {}

  void follow(const Moment& moment) {
    const Task& task = layout_.task[moment.task];
    const u32 before = task.index ? layout_.at(task.lane, task.index - 1) : none;
    if (moment.what == Moment::issue) {
      u64* known = at(issue_, moment.task);
      known[task.rank / 64] |= u64(1) << task.rank % 64;
      if (before != none) {
        const bool overlaps =
            schedule::overlaps_predecessor(*layout_.task[before].step, *task.step);
        learn(known, at(overlaps ? issue_ : retire_, before));
      }
      for (int w = 0; w < 2; ++w)
        if (const auto wait = task.step->wait(w); wait.valid() && wait.steps)
          learn(known,
                at(retire_, layout_.at(layout_.first_lane[task.rank] + wait.lane, wait.steps - 1)));
    } else if (moment.what == Moment::retire) {
      u64* known = at(retire_, moment.task);
      learn(known, at(issue_, moment.task));
      if (before != none) learn(known, at(retire_, before));
      if (task.step->receives() && task.exchanges())
        for (u32 mate : mates_of(mates_, task)) learn(known, at(issue_, mate));
    }
  }

  // A rank leaves when all its lanes have ended.
  std::vector<u32> unknown_to(u32 rank) {
    std::vector<u64> known(words_);
    known[rank / 64] |= u64(1) << rank % 64;
    for (u32 x = layout_.first_lane[rank]; x < layout_.first_lane[rank + 1]; ++x)
      if (const u32 n = layout_.length(x)) learn(known.data(), at(retire_, layout_.at(x, n - 1)));
    std::vector<u32> ranks;
    for (u32 r = 0; r < layout_.ranks(); ++r)
      if (!(known[r / 64] >> r % 64 & 1)) ranks.push_back(r);
    return ranks;
  }

 private:
  u64* at(std::vector<u64>& sets, u32 t) { return sets.data() + t * words_; }
  void learn(u64* known, const u64* other) {
    for (std::size_t w = 0; w < words_; ++w) known[w] |= other[w];
  }

  const Layout& layout_;
  const Mates& mates_;
  std::size_t words_;
  std::vector<u64> issue_, retire_;  // task -> set of ranks
};

}  // namespace

Status check_barrier(const Layout& layout, const Mates& mates, const History& history) {
  Arrivals arrivals(layout, mates);
  for (const Moment& moment : history)
    if (moment.instance == 0) arrivals.follow(moment);
  for (u32 r = 0; r < layout.ranks(); ++r)
    if (const auto absent = arrivals.unknown_to(r); !absent.empty())
      return fail(Code::invalid_argument,
                  "rank {} leaves the barrier without knowing that rank {} has come", r,
                  list_of(absent));
  return {};
}

}  // namespace weft::verify
