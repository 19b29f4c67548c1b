// Every mutant of every algorithm is rejected, or is equivalent for a reason that is checked:
//   implied   only waits differ, and the clocks are those of the original: other waits imply it
//   needless  a wait or join that orders no two accesses to one place, by an oracle that shares
//             nothing with the verifier; in a barrier, all still know of all
//   same data an all-gather's or a broadcast's input is read where the output holds its copy; a
//             copy takes the same atoms in another order, or more of them, to where nobody reads;
//             in a scan, the prefix of rank 2^k - 1 is also the sum of its interval
// Nothing else may survive.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "algorithms/table.hpp"
#include "mutate.hpp"
#include "oracle.hpp"
#include "tests/sanitizer.hpp"
#include "verify/clocks.hpp"
#include "verify/verify.hpp"

namespace weft::verify {
namespace {

using schedule::Kind;
using schedule::Program;
using schedule::Shape;

struct Count {
  u32 made = 0, rejected = 0, implied = 0, needless = 0, same_data = 0;
  u32 equivalent() const { return implied + needless + same_data; }
};

class Mutation : public testing::Test {
 protected:
  void mutate(const std::string& algorithm, Kind kind, const Shape& shape, u32 root = 0) {
    auto schedule = algorithms::emit_all(algorithm, kind, shape, root);
    ASSERT_TRUE(schedule) << schedule.error().text;
    const auto order = algorithms::order_of(algorithm, kind, shape);
    Options options{.shape = &shape};
    options.promise = order == schedule::Order::canonical ? Order::canonical
                      : order == schedule::Order::shape   ? Order::shape
                                                          : Order::fast;
    ASSERT_EQ(verify(schedule->programs, schedule->collective, options).fault, "");
    for (u32 r = 0; r < shape.ranks(); ++r) {
      const Program original = schedule->programs[r];
      for (u32 i = 0; i < original.steps.size(); ++i)
        for (const auto& mutant : mutate::mutants_of(original, i, options.promise != Order::fast)) {
          Program& program = schedule->programs[r];
          mutant.change(program, program.steps[i]);
          const bool rejected = !verify(schedule->programs, schedule->collective, options).ok();
          judge(*schedule, mutant, rejected, original,
                algorithm + " " + name_of(kind) + " on " + shape.text());
          program = original;
        }
    }
  }

  void judge(const schedule::Schedule& mutated, const mutate::Mutant& mutant, bool rejected,
             const Program& original, const std::string& name) {
    Count& count = counts_[mutant.kind];
    ++count.made;
    const schedule::Step& step = original.steps[mutant.step];
    const std::string kind = mutant.kind;
    if (rejected)
      ++count.rejected;
    else if (kind.starts_with("wait") && same_order(original, mutated.programs[mutant.rank]))
      ++count.implied;
    else if ((kind.starts_with("wait") || (kind == "drop" && step.count == 0)) &&
             is_needless(mutated, mutant.rank))
      ++count.needless;
    else if (kind == "buffer" &&
             (reads_input(mutated, mutant, step) || reads_prefix(mutated, mutant, step)))
      ++count.same_data;
    else if (step.verb == schedule::Verb::copy && copies_the_same(mutated, mutant, original))
      ++count.same_data;
    else if (++survivors_ <= 10)
      ADD_FAILURE() << "survives: " << mutant.kind << " of rank " << mutant.rank << " step "
                    << mutant.step << ", " << name;
  }

  static bool is_needless(const schedule::Schedule& mutated, u32 rank) {
    for (bool in_place : {false, true})
      if ((!in_place || mutated.collective.kind != Kind::all_to_all) &&
          oracle::has_race(mutated.programs[rank], mutated.collective, in_place))
        return false;
    return mutated.collective.kind != Kind::barrier || oracle::is_barrier(mutated.programs);
  }

  // Where nothing is added up, the input is never written and is what the output must become.
  static bool reads_input(const schedule::Schedule& mutated, const mutate::Mutant& mutant,
                          const schedule::Step& before) {
    const schedule::Step& after = mutated.programs[mutant.rank].steps[mutant.step];
    return !reduces(mutated.collective.kind) && before.target == after.target &&
           (before.source.buffer == schedule::input || after.source.buffer == schedule::input);
  }

  // Does the copy reach all that it reached, and beyond it only places that no other step names?
  static bool copies_the_same(const schedule::Schedule& mutated, const mutate::Mutant& mutant,
                              const Program& original) {
    const Program& program = mutated.programs[mutant.rank];
    const schedule::Step &before = original.steps[mutant.step], &after = program.steps[mutant.step];
    if (before.target.buffer != after.target.buffer || before.source.buffer != after.source.buffer)
      return false;
    std::set<u32> beyond, missing;
    for_each_atom(original, before, before.target, [&](u32 atom) { missing.insert(atom); });
    for_each_atom(program, after, after.target, [&](u32 atom) {
      if (!missing.erase(atom)) beyond.insert(atom);
    });
    for (const schedule::Step& other : original.steps)
      for (const schedule::Span* span : {&other.target, &other.source, &other.second})
        if (span->valid() && span->buffer == after.target.buffer)
          for_each_atom(original, other, *span, [&](u32 atom) {
            if (beyond.count(atom)) missing.insert(atom);
          });
    return missing.empty() && (beyond.empty() || after.target.buffer >= schedule::first_plane);
  }

  // The prefix of rank 2^k - 1 is also the sum of its interval of 2^k ranks.
  static bool reads_prefix(const schedule::Schedule& mutated, const mutate::Mutant& mutant,
                           const schedule::Step& before) {
    const schedule::Step& after = mutated.programs[mutant.rank].steps[mutant.step];
    return mutated.collective.kind == Kind::scan && std::has_single_bit(mutant.rank + 1) &&
           before.target == after.target &&
           (before.source.buffer == schedule::output || after.source.buffer == schedule::output ||
            before.second.buffer == schedule::output || after.second.buffer == schedule::output);
  }

  void TearDown() override {
    Count all;
    const auto print = [](const char* kind, const Count& c) {
      std::printf(
          "%-8s %7u made %7u rejected, equivalent: %4u implied %4u needless %4u same data\n", kind,
          c.made, c.rejected, c.implied, c.needless, c.same_data);
    };
    for (const auto& [kind, count] : counts_) {
      print(kind.c_str(), count);
      all.made += count.made, all.rejected += count.rejected, all.implied += count.implied;
      all.needless += count.needless, all.same_data += count.same_data;
    }
    print("all", all);
    EXPECT_EQ(all.rejected + all.equivalent(), all.made);
    // The fewer ranks, the more waits imply one another.
    const u32 most_percent = under_sanitizer ? 2 : 1;
    EXPECT_LT(all.equivalent() * 100, all.made * most_percent)
        << "at most " << most_percent << " % may be equivalent";
  }

  std::map<std::string, Count> counts_;
  u32 survivors_ = 0;
};

TEST_F(Mutation, is_rejected_or_equivalent) {
  const std::vector<u32> all{2, 3, 4, 5, 7, 8}, sample{3, 4};
  for (u32 p : under_sanitizer ? sample : all)
    for (Kind kind : schedule::all_kinds)
      for (const std::string& name : algorithms::names(kind, Shape::flat(p)))
        mutate(name, kind, Shape::flat(p), schedule::has_root(kind) ? p / 2 : 0);
  const std::vector<const char*> mixed{"3+2", "1+5", "4x2+1", "8+1"}, one{"3+2"};
  for (const char* text : under_sanitizer ? one : mixed)
    for (Kind kind : schedule::all_kinds) {
      Shape shape = *Shape::parse(text);
      shape.rails = 2;
      for (const std::string& name : algorithms::names(kind, shape))
        if (name.find('/') != std::string::npos)
          mutate(name, kind, shape, schedule::has_root(kind) ? 1 : 0);
    }
}

}  // namespace
}  // namespace weft::verify
