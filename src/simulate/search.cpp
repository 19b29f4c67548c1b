#include "simulate/search.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace weft::simulate {
namespace {

using schedule::Kind;

class Search {
 public:
  Search(const Programs& programs, const Machine& machine, const Job& job, const Wish& wish)
      : programs_(programs), machine_(machine), job_(job), wish_(wish) {}

  Result<Found> run() {
    Setting at = start();
    WEFT_ASSIGN(Time best, time(at));
    if (best == never && !wish_.slice_bytes) {  // fewer slices, fewer messages
      at.slice_bytes = 0;
      WEFT_ASSIGN(best, time(at));
    }
    if (best == never)
      return fail(Code::unsupported, "more than {} messages to simulate", wish_.most_messages);
    for (Setting before = {~u64{0}, 0}; before != at;) {
      before = at;
      for (const Setting& next : neighbours(before)) {
        WEFT_ASSIGN(const Time there, time(next));
        if (there < best) best = there, at = next;
      }
    }
    WEFT_ASSIGN(const Cast* cast, cast_of(at.slice_bytes));
    Found found{.setting = at, .slices = cast->slices, .actors = u32(cast->actors.size())};
    WEFT_ASSIGN(found.outcome, simulate(*cast, machine_, {.frames = at.frames, .path = true}));
    found.simulations = u32(known_.size()) + 1;
    return found;
  }

 private:
  static constexpr Time never = ~Time{0};
  static constexpr u64 least_slice = u64{1} << 16;

  // 0, for one slice, stands above the largest power of two.
  Setting start() const {
    Setting at{wish_.slice_bytes.value_or(0), wish_.frames.value_or(std::min(8u, most_frames()))};
    if (!wish_.slice_bytes && job_.bytes > 4 * least_slice)
      at.slice_bytes = std::max(least_slice, std::bit_floor(job_.bytes / 64));
    return at;
  }
  u32 most_frames() const { return std::max(1u, wish_.most_frames); }
  u64 most_slice() const { return job_.bytes > 1 ? std::bit_floor(job_.bytes - 1) : 0; }

  std::vector<Setting> neighbours(const Setting& at) const {
    std::vector<u64> slices{at.slice_bytes};
    if (!wish_.slice_bytes) {
      const u64 slice = at.slice_bytes ? at.slice_bytes : 2 * most_slice();
      if (at.slice_bytes) slices.push_back(2 * slice > most_slice() ? 0 : 2 * slice);
      if (slice / 2 >= least_slice) slices.push_back(slice / 2);
    }
    std::vector<u32> frames{at.frames};
    if (!wish_.frames && at.frames > 1) frames.push_back(at.frames / 2);
    if (!wish_.frames && at.frames * 2 <= most_frames()) frames.push_back(at.frames * 2);
    std::vector<Setting> all;
    for (u64 slice : slices)
      for (u32 frame : frames) all.push_back({slice, frame});
    return all;
  }

  Result<Time> time(const Setting& at) {
    const auto [known, is_new] = known_.try_emplace({at.slice_bytes, at.frames}, never);
    if (!is_new) return known->second;
    WEFT_ASSIGN(const Cast* cast, cast_of(at.slice_bytes));
    if (messages_of(*cast) > wish_.most_messages || cast->slices >= u64{1} << 17) return never;
    WEFT_ASSIGN(const Outcome outcome, simulate(*cast, machine_, {.frames = at.frames}));
    return known->second = outcome.time;
  }

  Result<const Cast*> cast_of(u64 slice_bytes) {
    auto found = casts_.find(slice_bytes);
    if (found == casts_.end()) {
      WEFT_ASSIGN(const Call call, call_of(programs_, job_, slice_bytes));
      WEFT_ASSIGN(Cast cast, lower(programs_, call, wish_.merge));
      found = casts_.emplace(slice_bytes, std::move(cast)).first;
    }
    return &found->second;
  }

  const Programs& programs_;
  const Machine& machine_;
  const Job& job_;
  const Wish& wish_;
  std::map<u64, Cast> casts_;
  std::map<std::pair<u64, u32>, Time> known_;
};

}  // namespace

u64 messages_of(const Cast& cast) {
  u64 messages = 0;
  for (const Actor& actor : cast.actors) messages += cast.scripts[actor.script].messages.size();
  return messages * cast.slices;
}

Result<Call> call_of(const Programs& programs, const Job& job, u64 slice_bytes) {
  const u64 parts = has_blocks(programs.kind()) ? programs.shape().ranks() : 1;
  const u64 each = parts * job.element_bytes;
  if (job.bytes % each)
    return fail(Code::invalid_argument,
                "{} bytes are not {} equal blocks of whole elements of {} bytes: give a multiple "
                "of {} bytes",
                job.bytes, parts, job.element_bytes, each);
  Call call{.count = job.bytes / each, .element_bytes = job.element_bytes};
  const u64 unit = std::max<u64>(1, cache_line_bytes / job.element_bytes);
  if (slice_bytes) call.slice_elements = std::max(unit, slice_bytes / each / unit * unit);
  return call;
}

Result<Found> search(const Programs& programs, const Machine& machine, const Job& job,
                     const Wish& wish) {
  return Search(programs, machine, job, wish).run();
}

}  // namespace weft::simulate
