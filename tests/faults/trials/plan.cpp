#include "plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

namespace weft::trials {
namespace {

class Dice {
 public:
  explicit Dice(u64 seed) : engine_(seed) {}
  u32 below(u32 n) { return u32(engine_() % n); }
  template <class T, std::size_t n>
  T one_of(const T (&choices)[n]) {
    return choices[below(n)];
  }

 private:
  std::mt19937_64 engine_;
};

// Blocks of ranks, of one to three nodes.
std::vector<std::string> nodes_of(Dice& dice, u32 ranks) {
  const u32 nodes = 2 + dice.below(2);
  std::vector<std::string> names;
  for (u32 rank = 0; rank < ranks; ++rank)
    names.push_back("node" + std::to_string(rank * nodes / ranks));
  return names;
}

void place(Plan& plan, Dice& dice) {
  const bool mixed = dice.below(3) == 0;
  plan.transport = mixed ? "auto" : dice.one_of({"shm", "tcp"});
  if (!mixed && !plan.processes && dice.below(2)) plan.transport = "loopback";
  plan.nodes = mixed ? nodes_of(dice, plan.ranks) : std::vector<std::string>(plan.ranks, "node");
}

What fault_of(Dice& dice, bool processes, const std::vector<What>& only) {
  std::vector<What> some =
      processes
          ? std::vector{What::kill,  What::kill,   What::freeze, What::freeze, What::thaw,
                        What::leave, What::absent, What::late,   What::cut}
          : std::vector{What::cut,     What::silence, What::silence, What::drop,   What::corrupt,
                        What::corrupt, What::delay,   What::leave,   What::absent, What::late};
  if (!only.empty())
    std::erase_if(some, [&](What what) { return std::ranges::find(only, what) == only.end(); });
  return some.empty() ? What::late : some[dice.below(u32(some.size()))];
}

// Where WEFT_FAULT brings it about.
std::string rule_of(const Plan& plan) {
  const std::string place = fmt::format("rank={},operation={}", plan.culprit, plan.struck);
  switch (plan.what) {
    case What::kill: return "all:kill," + place;
    case What::freeze:
    case What::thaw: return "all:freeze," + place;
    case What::cut: return fmt::format("all:close,{},message=1", place);
    case What::silence:
      return fmt::format("all:silence,rank={},operation={}-", plan.culprit, plan.struck);
    case What::drop: return fmt::format("all:drop,{},message=1", place);
    case What::corrupt: return fmt::format("all:corrupt,{},message=1,seed={}", place, plan.seed);
    case What::delay: return fmt::format("all:delay=3ms,chance=0.2,seed={}", plan.seed);
    default: return {};
  }
}

}  // namespace

Plan draw(u64 seed, bool processes, const std::vector<What>& only) {
  Dice dice(seed);
  Plan plan{.seed = seed, .processes = processes};
  plan.ranks = 2 + dice.below(processes ? 7 : 15);
  if (processes && dice.below(8) == 0) plan.ranks = 16;
  place(plan, dice);
  plan.call = Call(dice.below(kinds_of_call));
  plan.count = dice.one_of({1u, 1000u, 60'000u});
  plan.calls = 2 + dice.below(5);
  plan.struck = dice.below(plan.calls);
  plan.culprit = dice.below(plan.ranks);
  plan.microseconds = dice.below(30'000);
  plan.what = fault_of(dice, processes, only);
  const bool anywhere = plan.what == What::kill || plan.what == What::freeze ||
                        plan.what == What::thaw || plan.what == What::leave;
  if (processes && anywhere)
    plan.when = dice.one_of({When::bootstrap, When::call, When::call, When::call, When::destroy});
  if (plan.what == What::absent || plan.what == What::late)
    plan.when = dice.one_of({When::bootstrap, When::call});
  // A message that is lost while a communicator is made keeps one rank out of it and not another,
  // whose first call then waits for the innocent.
  const bool spoils_messages = plan.is_of_a_link() || plan.what == What::corrupt;
  if (!spoils_messages) plan.of = dice.one_of({Of::job, Of::job, Of::dup, Of::split});
  const bool loses = plan.what == What::kill || plan.what == What::leave;
  const bool goes_on = dice.below(2);
  // Not after call 0: the rule would strike the first call after the shrink as well.
  plan.shrinks = goes_on && processes && loses && plan.when == When::call && plan.struck > 0;
  if (plan.when == When::call) plan.rule = rule_of(plan);
  return plan;
}

std::string Plan::text() const {
  std::string where = fmt::format("in call {}", struck);
  if (when != When::call) where = fmt::format("{} us into {}", microseconds, name_of(when));
  return fmt::format("seed {}: {} of rank {} {}{}; {} x {}({}) on a {} of {} {} over {}{}", seed,
                     name_of(what), culprit, where, shrinks ? ", then a shrink" : "", calls,
                     name_of(call), count, name_of(of), ranks, processes ? "processes" : "threads",
                     transport,
                     transport == "auto" ? fmt::format(" ({})", fmt::join(nodes, " ")) : "");
}

const char* name_of(Of of) {
  constexpr const char* names[] = {"job", "dup", "split"};
  return names[int(of)];
}

const char* name_of(What what) {
  constexpr const char* names[] = {"kill", "freeze",  "thaw", "leave",   "absent", "late",
                                   "cut",  "silence", "drop", "corrupt", "delay"};
  return names[int(what)];
}
const char* name_of(When when) {
  constexpr const char* names[] = {"bootstrap", "call", "destroy"};
  return names[int(when)];
}
const char* name_of(Call call) {
  constexpr const char* names[] = {"all_reduce", "reduce_scatter", "all_gather", "broadcast",
                                   "barrier"};
  return names[int(call)];
}

}  // namespace weft::trials
