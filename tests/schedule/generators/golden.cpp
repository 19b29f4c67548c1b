// Schedules that are written down: a change of what runs is a change of a file that a person reads.
//
// WEFT_WRITE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "schedule/text.hpp"
#include "shapes.hpp"

namespace weft::algorithms {
namespace {

struct Golden {
  const char* name;
  Kind kind;
  const char* shape;
  u32 root = 0;
};

constexpr Golden cases[] = {
    {"ring", Kind::all_reduce, "3"},
    {"ring", Kind::reduce_scatter, "3"},
    {"ring", Kind::all_gather, "3"},
    {"recursive_doubling", Kind::all_reduce, "2"},
    {"recursive_doubling", Kind::all_reduce, "8"},
    {"halving_doubling", Kind::all_reduce, "4"},
    {"halving_doubling", Kind::all_reduce, "7"},
    {"halving_doubling", Kind::reduce_scatter, "4"},
    {"halving_doubling", Kind::all_gather, "4"},
    {"double_tree", Kind::all_reduce, "6"},
    {"double_tree", Kind::broadcast, "5", 2},
    {"one_shot", Kind::all_reduce, "3"},
    {"two_shot", Kind::all_reduce, "3"},
    {"two_shot", Kind::reduce_scatter, "3"},
    {"two_shot", Kind::all_gather, "3"},
    {"dissemination", Kind::all_gather, "5"},
    {"dissemination", Kind::barrier, "5"},
    {"binomial", Kind::all_reduce, "6"},
    {"binomial", Kind::broadcast, "6", 4},
    {"scatter_all_gather", Kind::broadcast, "6", 4},
    {"chain", Kind::broadcast, "4", 2},
    {"chain", Kind::reduce, "4", 2},
    {"circulant", Kind::all_reduce, "7"},
    {"circulant", Kind::reduce_scatter, "5"},
    {"circulant", Kind::all_gather, "6"},
    {"swing", Kind::all_reduce, "8"},
    {"pat", Kind::reduce_scatter, "7"},
    {"pat", Kind::all_gather, "6"},
    {"recursive_doubling", Kind::scan, "7"},
    {"recursive_doubling", Kind::exscan, "6"},
    {"one_shot", Kind::reduce, "3", 1},
    {"two_shot", Kind::reduce, "3", 2},
    {"binomial", Kind::reduce, "7", 4},
    {"binomial", Kind::gather, "6", 4},
    {"binomial", Kind::scatter, "6", 4},
    {"direct", Kind::gather, "3", 1},
    {"direct", Kind::scatter, "3", 1},
    {"direct", Kind::all_to_all, "3"},
    {"pairwise", Kind::all_to_all, "3"},
    {"bruck", Kind::all_to_all, "5"},
    {"direct/pairwise", Kind::all_to_all, "2x2"},
    {"two_shot/binomial", Kind::reduce, "2x2", 1},
    {"binomial/one_shot", Kind::reduce, "2+1", 2},
    {"direct/binomial", Kind::gather, "2+1", 1},
    {"binomial/direct", Kind::scatter, "2+1", 2},
    {"ring", Kind::all_reduce, "1"},
    {"two_shot/halving_doubling", Kind::all_reduce, "3+2"},
    {"two_shot/recursive_doubling", Kind::all_reduce, "2x2"},
    {"ring/ring", Kind::reduce_scatter, "2+1"},
    {"two_shot/dissemination", Kind::all_gather, "2+1"},
    {"two_shot/binomial", Kind::broadcast, "2x2", 1},
    {"binomial/double_tree", Kind::broadcast, "3+2", 1},
    {"scatter_all_gather/double_tree", Kind::broadcast, "4+1", 1},
    {"dissemination/dissemination", Kind::barrier, "3+2+1"},
};

std::string file_of(const Golden& golden) {
  std::string name =
      fmt::format("{}.{}.{}", schedule::name_of(golden.kind), golden.name, golden.shape);
  std::replace(name.begin(), name.end(), '/', '-');
  if (golden.root) name += fmt::format(".root{}", golden.root);
  return std::string(WEFT_GOLDEN) + "/" + name + ".txt";
}

TEST(Golden, SchedulesAreAsWrittenDown) {
  for (const Golden& golden : cases) {
    const auto schedule =
        emit_all(golden.name, golden.kind, *Shape::parse(golden.shape), golden.root);
    ASSERT_TRUE(schedule) << schedule.error().text;
    std::ostringstream text;
    write(text, *schedule);
    const std::string path = file_of(golden);
    if (std::getenv("WEFT_WRITE_GOLDEN")) std::ofstream(path) << text.str();
    std::ifstream file(path);
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(text.str(), expected.str()) << path;
    std::ifstream again(path);
    const auto back = schedule::read_schedule(again);
    ASSERT_TRUE(back) << path << ": " << back.error().text;
    EXPECT_EQ(*back, *schedule) << path;
  }
}

TEST(Golden, EveryRowOfTheTableIsWrittenDown) {
  for (const Algorithm& row : table())
    for (Kind kind : schedule::all_kinds) {
      if (!row.kinds.has(kind)) continue;
      const bool written = std::any_of(std::begin(cases), std::end(cases), [&](const Golden& g) {
        return g.name == row.name && g.kind == kind;
      });
      EXPECT_TRUE(written) << row.name << " " << schedule::name_of(kind);
    }
}

// The text form is exact for everything that can be emitted.
TEST(Golden, EverythingEmittedSurvivesTheRoundTrip) {
  for_each_plan([](const Plan& plan, const std::string& what) {
    if (plan.ranks() > 8) return;
    schedule::Schedule schedule{
        .collective = plan.collective(), .tiling = plan.tiling(), .programs = {}};
    for (u32 rank = 0; rank < plan.ranks(); ++rank) schedule.programs.push_back(plan.emit(rank));
    std::stringstream text;
    write(text, schedule);
    const auto back = schedule::read_schedule(text);
    ASSERT_TRUE(back) << what << ": " << back.error().text;
    ASSERT_EQ(*back, schedule) << what;
  });
}

}  // namespace
}  // namespace weft::algorithms
