#include "executor/answers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace weft::executor {
namespace {

using schedule::Span;
using schedule::Step;
using schedule::Verb;

class Answers {
 public:
  explicit Answers(Plan& plan) : plan_(plan) {
    for (const Step& s : plan.program.steps)
      for (const Span* span : {&s.target, &s.source, &s.second}) {
        if (!span->valid() || span->buffer >= schedule::first_plane) continue;
        for_each_atom(s, *span, [&](u32 atom) {
          Uses& uses = uses_[atom];
          ++uses.touched;
          uses.written += span == &s.target;
          uses.read += span != &s.target && span->buffer == schedule::output;
        });
      }
  }

  void count_readers() {
    for (u32 i = 0; i < plan_.steps.size(); ++i) {
      u32 most = 0;
      if (plan_.steps[i].target == schedule::output)
        for_each_atom(step(i), step(i).target,
                      [&](u32 atom) { most = std::max(most, uses_[atom].read); });
      plan_.steps[i].readers = u8(std::min(most, 2u));
    }
  }

  void number_messages() {
    std::map<std::tuple<bool, u32, u8>, std::array<u32, 2>> next;
    for (const LoweredStep& s : plan_.steps)
      for (u32 end = s.first_end; end < s.first_end + s.ends; ++end) {
        End& e = plan_.ends[end];
        std::array<u32, 2>& number = next[{s.sends(), e.peer, e.port}];
        e.number = number;
        for (const Plan::Kind kind : {Plan::body, Plan::tail})
          number[kind] += s.extents[kind].bytes != 0;
      }
  }

  // Of what this rank lends: the answer is received from the reader, into output, for the same
  // atoms, and no other step touches those, be it in input, which may be output.
  void of_loans() {
    std::map<Key, u32> received;  // end
    for (u32 i = 0; i < plan_.steps.size(); ++i)
      if (const LoweredStep& s = plan_.steps[i];
          s.verb == Verb::recv && s.ends == 1 && s.target == schedule::output)
        received[key_of(i, step(i).target, s.first_end)] = s.first_end;
    for (u32 i = 0; i < plan_.steps.size(); ++i) {
      const LoweredStep& s = plan_.steps[i];
      if (!s.sends() || s.ends != 1 || s.source >= schedule::first_plane) continue;
      const auto found = received.find(key_of(i, step(i).source, s.first_end));
      if (found != received.end() && all_are(i, step(i).source, &Uses::touched, 2))
        plan_.ends[s.first_end].answer = found->second;
    }
  }

  // Of what it is lent: the answer sends the reduced result, which nothing else writes.
  void of_results() {
    for (u32 i = 0; i < plan_.steps.size(); ++i) {
      const LoweredStep& s = plan_.steps[i];
      if (s.verb != Verb::recv_reduce || s.target != schedule::output) continue;
      if (!all_are(i, step(i).target, &Uses::written, 1)) continue;
      for (u32 k = 0; k < plan_.steps.size(); ++k)
        if (sends_result(k, i)) join(s, plan_.steps[k]);
    }
  }

 private:
  // Steps that touch an atom, in input and output together; of these, those that read the output.
  struct Uses {
    u32 touched = 0, written = 0, read = 0;
  };
  using Key = std::tuple<u32, u32, u8, u8, u32>;  // peer, first, stride, level, chunks

  const Step& step(u32 i) const { return plan_.program.steps[plan_.program_step[i]]; }

  template <class Each>
  void for_each_atom(const Step& s, const Span& span, Each each) const {
    if (s.count) schedule::for_each_atom(plan_.program, s, span, each);
  }

  Key key_of(u32 i, const Span& span, u32 end) const {
    return {plan_.ends[end].peer, span.first, span.stride, step(i).level, step(i).count};
  }

  bool all_are(u32 i, const Span& span, u32 Uses::*count, u32 want) const {
    bool all = true;
    for_each_atom(step(i), span, [&](u32 atom) { all &= uses_.at(atom).*count == want; });
    return all;
  }

  // Does step k send what step i made, once it has retired?
  bool sends_result(u32 k, u32 i) const {
    const LoweredStep& send = plan_.steps[k];
    if (!send.sends() || send.source != schedule::output) return false;
    const Span &from = step(k).source, &made = step(i).target;
    if (from.first != made.first || from.stride != made.stride || step(k).count != step(i).count ||
        step(k).level != step(i).level)
      return false;
    const u32 lane = plan_.steps[i].lane;
    return std::any_of(std::begin(send.wait), std::end(send.wait), [&](const schedule::Wait& w) {
      return w.valid() && w.lane == lane && w.steps > i - plan_.lane_begin[lane];
    });
  }

  void join(const LoweredStep& reduce, const LoweredStep& send) {
    for (u32 lent = reduce.first_end; lent < reduce.first_end + reduce.ends; ++lent)
      for (u32 back = send.first_end; back < send.first_end + send.ends; ++back)
        if (plan_.ends[back].peer == plan_.ends[lent].peer) plan_.ends[lent].answer = back;
  }

  Plan& plan_;
  std::unordered_map<u32, Uses> uses_;  // by atom
};

}  // namespace

void find_answers(Plan& plan) {
  Answers answers(plan);
  answers.count_readers();
  answers.number_messages();
  answers.of_loans();
  answers.of_results();
}

}  // namespace weft::executor
