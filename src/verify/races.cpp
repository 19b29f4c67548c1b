#include "verify/races.hpp"

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

using schedule::Span;

// One pass over the steps in an order in which they may issue. Of a location's past, only the last
// write and the reads since then matter: all before them is ordered before that write already.
class Scan {
 public:
  Scan(const Layout& layout, const Clocks& clocks, u32 rank, bool in_place)
      : layout_(layout),
        clocks_(clocks),
        places_{layout.collective, rank, layout.atoms(), in_place},
        last_write_(places_.count(layout.programs[rank].planes), none),
        last_read_(last_write_.size(), none) {}

  Status run() {
    for (u32 t : clocks_.order) {
      const Task& task = layout_.task[t];
      if (task.rank != places_.rank || !task.atom_count) continue;
      // Reads first: a step may write exactly what it reads.
      WEFT_TRY(read(t, task, task.step->source));
      WEFT_TRY(read(t, task, task.step->second));
      WEFT_TRY(write(t, task, task.step->target));
    }
    return {};
  }

 private:
  struct Read {
    u32 task, before;  // before: an entry of reads_
  };

  Status read(u32 t, const Task& task, const Span& span) {
    if (!span.valid()) return {};
    for (u32 atom : layout_.atoms_of(task)) {
      const u32 place = places_.of(span.buffer, atom);
      if (const u32 w = last_write_[place]; w != none && !clocks_.before(layout_, w, t))
        return race(w, "writes", t, "reads", span, atom);
      u32& head = last_read_[place];
      // A later read of the same lane stands for the earlier one: it retires after it.
      if (head != none && layout_.task[reads_[head].task].lane == task.lane) {
        reads_[head].task = t;
      } else {
        reads_.push_back({t, head});
        head = u32(reads_.size() - 1);
      }
    }
    return {};
  }

  Status write(u32 t, const Task& task, const Span& span) {
    if (!span.valid()) return {};
    for (u32 atom : layout_.atoms_of(task)) {
      const u32 place = places_.of(span.buffer, atom);
      if (const u32 w = last_write_[place]; w != none && w != t && !clocks_.before(layout_, w, t))
        return race(w, "writes", t, "writes", span, atom);
      for (u32 i = last_read_[place]; i != none; i = reads_[i].before)
        if (const u32 r = reads_[i].task; r != t && !clocks_.before(layout_, r, t))
          return race(r, "reads", t, "writes", span, atom);
      last_write_[place] = t;
      last_read_[place] = none;
    }
    return {};
  }

  tl::unexpected<Error> race(u32 a, const char* does_a, u32 b, const char* does_b, const Span& span,
                             u32 atom) const {
    const Task& first = layout_.task[a];
    const u32 known = clocks_.at_issue(b)[first.lane - clocks_.first_lane];
    return fail(Code::invalid_argument,
                "race{}: {} {} atom {} of the {}, {} {} it, and nothing on the rank orders them: "
                "when the second issues, only {} of the {} steps of lane {} up to the first are "
                "sure to have retired",
                places_.in_place ? " in place" : "", describe(layout_, a), does_a, atom,
                name_of(span.buffer), describe(layout_, b), does_b, known, first.index + 1,
                first.step->lane);
  }

  const Layout& layout_;
  const Clocks& clocks_;
  const Places places_;
  std::vector<u32> last_write_, last_read_;  // location -> task; entry of reads_
  std::vector<Read> reads_;
};

}  // namespace

Status check_races(const Layout& layout, const Clocks& clocks, u32 rank, bool in_place) {
  return Scan(layout, clocks, rank, in_place).run();
}

}  // namespace weft::verify
