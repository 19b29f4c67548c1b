#include "executor/timeline.hpp"

#include <algorithm>

namespace weft::executor {

static i64 now() { return Clock::now().time_since_epoch().count(); }

Timeline::Timeline(u32 frames, u64 most) : flights_(frames), most_(most) { entries_.reserve(most); }

void Timeline::issued(const Frame& frame, u32 step) {
  const LoweredStep& s = frame.plan->steps[step];
  Flight& flight = flights_[frame.index];
  if (flight.issued.size() < frame.plan->steps.size())
    flight.issued.resize(frame.plan->steps.size());
  if (flight.heard.size() < frame.plan->ends.size()) flight.heard.resize(frame.plan->ends.size());
  if (s.ends) flight.heard[s.first_end] = 0;
  flight.issued[step] = now();
}

void Timeline::received(const Frame& frame, u32 end) {
  i64& heard = flights_[frame.index].heard[end];
  if (!heard) heard = now();
}

void Timeline::retired(const Frame& frame, u32 step) {
  const Plan& plan = *frame.plan;
  const LoweredStep& s = plan.steps[step];
  const u64 bytes = frame.extents(s).bytes;
  if (bytes == 0) return;
  const Flight& flight = flights_[frame.index];
  const schedule::Step& in_program = plan.program.steps[plan.program_step[step]];
  Entry entry{.issued = flight.issued[step],
              .retired = now(),
              .heard = flight.issued[step],
              .slice = frame.slice,
              .bytes = bytes,
              .call = u32(frame.operation->call),
              .step = plan.program_step[step],
              .peer = s.ends ? plan.ends[s.first_end].peer : 0,
              .peers = s.ends,
              .kind = plan.collective.kind,
              .verb = s.verb,
              .lane = s.lane,
              .port = in_program.port,
              .level = in_program.level,
              .frame = frame.index};
  if (s.receives() && flight.heard[s.first_end]) entry.heard = flight.heard[s.first_end];
  if (count_ < most_)
    entries_.push_back(entry);
  else
    entries_[count_ % most_] = entry;
  ++count_;
}

std::vector<Timeline::Entry> Timeline::entries() const {
  std::vector<Entry> ordered = entries_;
  if (count_ > most_)
    std::rotate(ordered.begin(), ordered.begin() + i64(count_ % most_), ordered.end());
  return ordered;
}

}  // namespace weft::executor
