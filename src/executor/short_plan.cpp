#include "executor/short_plan.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace weft::executor {
namespace {

using schedule::Buffer;
using schedule::Step;
using schedule::Verb;

class Shortening {
 public:
  Shortening(Plan& plan, u64 most_inline_bytes) : plan_(plan), most_(most_inline_bytes) {}

  void run() {
    list_needs();
    for (const LoweredStep& s : plan_.steps)
      for (u32 end = s.first_end; end < s.first_end + s.ends; ++end)
        ++messages_[channel_of(s, end)];
    for (LoweredStep& s : plan_.steps) s.light = is_alone(s) && tail(s).bytes <= most_;
    for (u32 i = 0; i < plan_.steps.size(); ++i) find_holder(i);
  }

 private:
  static const Extents& tail(const LoweredStep& s) { return s.extents[Plan::tail]; }
  std::tuple<bool, u32, u8> channel_of(const LoweredStep& s, u32 end) const {
    return {s.sends(), plan_.ends[end].peer, plan_.ends[end].port};
  }
  const Step& step(u32 i) const { return plan_.program.steps[plan_.program_step[i]]; }

  // One message, of one run, and no other on its channel.
  bool is_alone(const LoweredStep& s) const {
    return s.ends == 1 && tail(s).runs == 1 && messages_.at(channel_of(s, s.first_end)) == 1;
  }

  // The rules of issue as sets: the steps waited for, and the lane's steps before this one, all of
  // which must have retired; a step that overlaps its predecessor needs what that one needs.
  void list_needs() {
    const auto first_of = [](u32 begin, u32 steps) {
      const u64 ones = steps == 64 ? ~u64{0} : (u64{1} << steps) - 1;
      return steps == 0 ? u64{0} : ones << begin;
    };
    plan_.order.resize(plan_.steps.size());
    for (u32 i = 0; i < plan_.steps.size(); ++i) {
      const LoweredStep& s = plan_.steps[i];
      const u32 begin = plan_.lane_begin[s.lane];
      u64& needs = plan_.order[i].needs;
      needs = s.overlaps ? plan_.order[i - 1].needs : first_of(begin, i - begin);
      for (const schedule::Wait& wait : s.wait)
        if (wait.valid()) needs |= first_of(plan_.lane_begin[wait.lane], wait.steps);
      for (u64 left = needs; left; left &= left - 1)
        plan_.order[u32(std::countr_zero(left))].lets |= u64{1} << i;
    }
    plan_.all_steps = first_of(0, u32(plan_.steps.size()));
  }

  // A message that is received into scratch for one reduction alone can be added from its slot.
  void find_holder(u32 i) {
    LoweredStep& s = plan_.steps[i];
    if (s.verb != Verb::recv || s.target < schedule::first_plane || !is_alone(s)) return;
    const Step& made = step(i);
    u32 users = 0, reader = 0, operand = 0;
    for (u32 k = 0; k < plan_.steps.size(); ++k) {
      if (k == i) continue;
      const Step& user = step(k);
      for (const schedule::Span* span : {&user.target, &user.source, &user.second}) {
        if (span->buffer != s.target) continue;
        ++users;
        const bool same = span != &user.target && span->first == made.target.first &&
                          span->stride == made.target.stride && user.count == made.count &&
                          user.level == made.level;
        if (user.verb != Verb::reduce || !same || !(plan_.order[k].needs >> i & 1)) return;
        reader = k;
        operand = span == &user.second;
      }
    }
    if (users != 1) return;
    s.holds = true;
    plan_.order[reader].holder[operand] = u8(i);
    plan_.order[reader].holders |= u64{1} << i;
  }

  Plan& plan_;
  u64 most_;
  std::map<std::tuple<bool, u32, u8>, u32> messages_;  // of each channel
};

}  // namespace

void make_short(Plan& plan, u64 most_inline_bytes) { Shortening(plan, most_inline_bytes).run(); }

}  // namespace weft::executor
