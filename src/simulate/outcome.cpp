#include <algorithm>

#include "simulate/engine.hpp"

namespace weft::simulate {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::intra_send: return "intra send";
    case Kind::intra_receive: return "intra receive";
    case Kind::inter_send: return "inter send";
    case Kind::inter_receive: return "inter receive";
    case Kind::memory: return "memory";
    case Kind::progress: return "progress thread";
  }
  return "?";
}

double Outcome::utilisation(Kind kind) const {
  const auto i = std::size_t(kind);
  return time && many[i] ? double(busy[i]) / double(time) / double(many[i]) : 0;
}

Outcome Engine::outcome() const {
  Outcome outcome{.time = end_, .events = events_};
  auto add = [&](Kind kind, Time busy) { outcome.busy[std::size_t(kind)] += busy; };
  for (u32 a = 0; a < cast_.actors.size(); ++a) {
    add(Kind::memory, memory_[a].busy * cast_.actors[a].ranks);
    add(Kind::progress, progress_[a].busy * cast_.actors[a].ranks);
  }
  for (std::size_t w = 0; w < cast_.resource.size(); ++w) {
    const Wire& wire = cast_.resource[w];
    add(wire.inter ? Kind::inter_send : Kind::intra_send, out_[w].busy * wire.many);
    add(wire.inter ? Kind::inter_receive : Kind::intra_receive, in_[w].busy * wire.many);
  }
  const u64 ranks = cast_.ranks, cards = u64(cast_.nodes) * cast_.rails;
  outcome.many = {ranks, ranks, cards, cards, ranks, ranks};
  outcome.path = path_.by_term(end_cause_);
  outcome.frame_waits = path_.frame_waits(end_cause_);
  return outcome;
}

Time busiest_port(const Cast& cast, const Machine& machine) {
  std::vector<Time> busy(2 * cast.resource.size(), 0);  // sending and receiving, by wire
  for (const Actor& actor : cast.actors) {
    const Script& script = cast.scripts[actor.script];
    for (const ScriptMessage& m : script.messages) {
      const ScriptStep& step = script.steps[m.step];
      const Link& link = m.inter ? machine.inter : machine.intra;
      Time& port = busy[2 * cast.wires[actor.first_wire + m.wire] + step.sends()];
      for (Part part : {body, tail})
        if (const u64 n = step.bytes[part])
          port += (part == body ? cast.slices - 1 : 1) * std::max(link.gap, link.bandwidth.time(n));
    }
  }
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

}  // namespace weft::simulate
