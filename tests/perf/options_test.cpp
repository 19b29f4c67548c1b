#include "perf/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "perf/nearest.hpp"
#include "perf/option_table.hpp"

namespace weft::perf {
namespace {

using ::testing::HasSubstr;

Result<Options> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "all_reduce_perf");
  return parse_options(static_cast<int>(words.size()), words.data());
}

TEST(Options, DefaultsAreThoseOfNcclTests) {
  const Options options = parse({}).value();
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.ranks_per_thread, 1);
  EXPECT_EQ(options.sizes.minimum, 33554432u);
  EXPECT_EQ(options.sizes.maximum, 33554432u);
  EXPECT_EQ(options.sizes.step, 1048576u);
  EXPECT_EQ(options.sizes.factor, 1u);
  EXPECT_EQ(options.checks, 1);
  EXPECT_EQ(options.warmups, 1);
  EXPECT_EQ(options.iterations, 20);
  EXPECT_EQ(options.aggregated, 1);
  EXPECT_EQ(options.cycles, 1);
  EXPECT_EQ(options.average, 1);
  EXPECT_EQ(options.root, 0);
  EXPECT_EQ(options.blocking, 0);
  EXPECT_EQ(options.timeout_seconds, 0);
  EXPECT_EQ(options.parallel_init, 0);
  EXPECT_EQ(options.per_iteration, 0);
  EXPECT_EQ(options.per_iteration_skip, 0);
  EXPECT_EQ(options.unalign, 0);
  ASSERT_EQ(options.types.size(), 1u);
  EXPECT_STREQ(options.types[0].name, "float");
  ASSERT_EQ(options.operators.size(), 1u);
  EXPECT_STREQ(options.operators[0].name, "sum");
  EXPECT_TRUE(options.notes.empty());
  EXPECT_EQ(options.nodes.nodes, 0);
}

// The letters and long names of 2.19.6, in its order.
TEST(Options, NamesAreThoseOfNcclTests) {
  std::string found;
  for (const OptionEntry& entry : theirs())
    found += fmt::format("{}:{} ", entry.letter, entry.name);
  EXPECT_EQ(found,
            "t:nthreads g:ngpus b:minbytes e:maxbytes i:stepbytes f:stepfactor n:iters m:agg_iters "
            "w:warmup_iters N:run_cycles p:parallel_init c:check o:op d:datatype r:root z:blocking "
            "y:stream_null T:timeout G:cudagraph C:report_cputime S:report_timestamps "
            "J:output_file a:average R:local_register x:cta_policy D:device_implementation "
            "V:device_cta_count M:memory u:unalign I:per_iter_timing K:per_iter_skip h:help ");
}

TEST(Options, OursAreLongOnlyAndNewToTheirs) {
  std::set<std::string> names;
  for (const OptionEntry& entry : theirs()) names.insert(entry.name);
  for (const OptionEntry& entry : ours()) {
    EXPECT_EQ(entry.letter, 0) << entry.name;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  }
}

TEST(Options, EveryOptionIsReadInEverySpelling) {
  for (const char* spelling : {"-b8K", "--minbytes=8K", "--minb=8K"})
    EXPECT_EQ(parse({spelling}).value().sizes.minimum, 8192u) << spelling;
  EXPECT_EQ(parse({"-b", "8K", "-e1G"}).value().sizes.maximum, 1u << 30);
  EXPECT_EQ(parse({"-n", "0x10"}).value().iterations, 16);
  EXPECT_EQ(parse({"-r", "-1"}).value().root, -1);
  EXPECT_EQ(parse({"-r", "all"}).value().root, -1);
  const Options options =
      parse({"-t2", "-g3", "--nodes", "1+5", "--digest", "--algorithm", "ring", "--offset", "3"})
          .value();
  EXPECT_EQ(options.ranks_per_process(), 6);
  EXPECT_EQ(options.nodes.sizes, (std::vector<int>{1, 5}));
  EXPECT_TRUE(options.digest);
  EXPECT_FALSE(options.explain);
  EXPECT_EQ(options.algorithm, "ring");
  EXPECT_EQ(options.offset_bytes, 3);
}

TEST(Options, BuffersArePrivateUnlessAskedFor) {
  EXPECT_FALSE(parse({}).value().shared_buffers);
  EXPECT_TRUE(parse({"--buffers", "shared"}).value().shared_buffers);
  EXPECT_FALSE(parse({"--buffers=private"}).value().shared_buffers);
  const auto other = parse({"--buffers", "huge"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().text, "invalid value 'huge' for 'buffers': private or shared");
}

TEST(Options, PercentilesAreNumbersUpTo100) {
  using testing::ElementsAre;
  EXPECT_TRUE(parse({}).value().percentiles.empty());
  EXPECT_THAT(parse({"--percentiles", "50,99.9,100"}).value().percentiles,
              ElementsAre(50, 99.9, 100));
  for (const char* wrong : {"0", "101", "50,", "x", "5x", ",", "nan"})
    EXPECT_FALSE(parse({"--percentiles", wrong})) << wrong;
}

TEST(Options, ContendersAreReadAndRefused) {
  const Options plain = parse({}).value();
  EXPECT_EQ(plain.backend, "");
  EXPECT_TRUE(plain.compare.empty());
  EXPECT_FALSE(plain.sweep_algorithms || plain.details);
  EXPECT_EQ(plain.rounds, 9);
  using testing::ElementsAre;
  EXPECT_THAT(parse({"--compare", "mpi"}).value().compare, ElementsAre("mpi"));
  EXPECT_THAT(parse({"--compare", "mpi:tuned,bound,fast"}).value().compare,
              ElementsAre("mpi:tuned", "bound", "fast"));
  EXPECT_TRUE(parse({"--compare", "mpi,grouped"}).value().compares("grouped"));
  EXPECT_EQ(parse({"--compare", "mpi", "--rounds=11"}).value().rounds, 11);
  EXPECT_EQ(parse({"--backend", "mpi"}).value().backend, "mpi");
  EXPECT_EQ(parse({"--backend", "weft", "-t2"}).value().backend, "");
  EXPECT_EQ(plain.fault, "");
  EXPECT_EQ(parse({"--fault", "tcp:rate=1M"}).value().fault, "tcp:rate=1M");
  EXPECT_TRUE(parse({"--sweep-algorithms", "-t2", "--details"}).value().sweep_algorithms);
  // Weft against itself is no question of processes.
  EXPECT_TRUE(parse({"--compare", "fast,grouped", "-t2"}));
  EXPECT_EQ(module_of("mpi:tuned"), "mpi");
  const std::vector<const char*> refused[] = {{"--rounds", "8"},
                                              {"--compare", "weft"},
                                              {"--compare", "mpi,mpi"},
                                              {"--compare", "mpi,bound,mpi:tuned"},
                                              {"--compare", "mpi,,bound"},
                                              {"--compare", "mpi", "-t2"},
                                              {"--backend", "mpi", "-g2"},
                                              {"--compare", "mpi", "--backend", "mpi"},
                                              {"--compare", "mpi", "--sweep-algorithms"},
                                              {"--backend", "mpi", "--sweep-algorithms"}};
  for (const auto& words : refused) {
    const auto options = parse(words);
    ASSERT_FALSE(options) << words[0] << " " << words[1];
    EXPECT_EQ(options.error().exit, Exit::bad_argument);
  }
}

TEST(Options, UnknownOptionNamesTheNearest) {
  const std::pair<const char*, const char*> expectations[] = {{"--mibytes", "'--minbytes'"},
                                                              {"--itres=3", "'--iters'"},
                                                              {"--nods", "'--nodes'"},
                                                              {"--digset", "'--digest'"},
                                                              {"-B", "'-b,--minbytes'"}};
  for (const auto& [word, near] : expectations) {
    const auto options = parse({word, "8"});
    ASSERT_FALSE(options) << word;
    EXPECT_EQ(options.error().exit, Exit::bad_argument);
    EXPECT_THAT(options.error().text, HasSubstr(near)) << word;
  }
}

TEST(Options, EditDistanceCountsASwapOnce) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("itres", "iters"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Options, WhatCannotBeReadIsRefused) {
  const std::vector<const char*> refused[] = {{"-n", "abc"},      {"-n", "0"},  {"-n", "3x"},
                                              {"-t", "0"},        {"-b", "8Q"}, {"-e"},
                                              {"-b", "2", "-e1"}, {"-i", "0"},  {"--offset", "16"},
                                              {"--nodes", "0"},   {"-a", "4"},  {"--order", "Fast"},
                                              {"--order", ""},    {"8M"},       {"-q"}};
  for (const auto& words : refused) {
    const auto options = parse(words);
    ASSERT_FALSE(options) << words[0];
    EXPECT_EQ(static_cast<int>(options.error().exit), 255);
    EXPECT_FALSE(options.error().text.empty());
  }
  EXPECT_THAT(parse({"-b", "2", "-e1"}).error().text,
              "invalid sizes for 'minbytes' and 'maxbytes': 2 > 1");
}

TEST(Options, TypesAndOperatorsAreWalkedInTheirOrder) {
  std::string names;
  const Options all = parse({"-d", "all", "-o", "all"}).value();
  for (const ElementType& type : all.types) names += fmt::format("{} ", type.name);
  for (const Operator& op : all.operators) names += fmt::format("{} ", op.name);
  EXPECT_EQ(names,
            "int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 f8e4m3 f8e5m2 "
            "bool int16 uint16 float_int double_int short_int 2int long_int "
            "sum prod max min avg mulsum "
            "band bor bxor land lor lxor minloc maxloc sum_wide avg_wide ");
  const Options unknown = parse({"-d", "quux"}).value();
  EXPECT_STREQ(unknown.types[0].name, "float");
  EXPECT_THAT(unknown.notes, testing::ElementsAre("invalid type quux, defaulting to float .. "));
}

// The numbers of nccl-tests' tables are those of ncclDataType_t and ncclRedOp_t.
TEST(Options, EveryTypeAndOperatorIsReadByItsName) {
  for (const ElementType& type : element_types()) {
    const Options options = parse({"-d", type.name}).value();
    ASSERT_EQ(options.types.size(), 1u) << type.name;
    EXPECT_EQ(options.types[0].type, type.type) << type.name;
    EXPECT_EQ(element_bytes(type.type), type.bytes) << type.name;
  }
  for (const Operator& op : operators()) {
    const Options options = parse({"-o", op.name}).value();
    ASSERT_EQ(options.operators.size(), 1u) << op.name;
    EXPECT_EQ(options.operators[0].op, op.op) << op.name;
    EXPECT_EQ(options.operators[0].premultiplied, op.name == std::string("mulsum"));
    EXPECT_TRUE(options.notes.empty());
  }
  EXPECT_EQ(static_cast<int>(element_types()[7].type), 7);
  EXPECT_EQ(static_cast<int>(operators()[4].op), 4);
  EXPECT_THAT(parse({"-o", "mean"}).value().notes,
              testing::ElementsAre("invalid op mean, defaulting to sum .. "));
}

TEST(Options, OrderIsOneOfFour) {
  EXPECT_EQ(parse({}).value().order, "");
  for (const char* order : {"auto", "canonical", "shape", "fast"})
    EXPECT_EQ(parse({"--order", order}).value().order, order);
  EXPECT_EQ(parse({"--order", "ring"}).error().text,
            "invalid value 'ring' for 'order': auto, canonical, shape or fast");
}

TEST(Options, OptionsOfTheGpuAreAcceptedWithANote) {
  for (const char* word : {"-G5", "-R1", "-y1", "-x2", "-D1", "-V32", "--cudagraph=1"}) {
    const auto options = parse({word});
    ASSERT_TRUE(options) << word;
    ASSERT_EQ(options->notes.size(), 1u) << word;
    EXPECT_THAT(options->notes[0], HasSubstr("no meaning on host memory"));
  }
  EXPECT_TRUE(parse({"-G0", "-R0"}).value().notes.empty());
}

TEST(Options, PerIterationOptionsAreRepairedAsInNcclTests) {
  EXPECT_EQ(parse({"-I2"}).value().per_iteration, 0);
  EXPECT_EQ(parse({"-I1", "-K20"}).value().per_iteration_skip, 0);
  EXPECT_EQ(parse({"-I1", "-K19"}).value().per_iteration_skip, 19);
  EXPECT_EQ(parse({"-I1", "-K-1"}).value().per_iteration_skip, 0);
  EXPECT_EQ(parse({"-K3"}).value().per_iteration_skip, 0);
  EXPECT_EQ(parse({"-K3"}).value().notes.size(), 1u);
}

TEST(Options, HelpGroupsTheirsAndOursAndNamesAll) {
  EXPECT_TRUE(parse({"-h"}).value().help);
  const std::string text = usage("all_reduce_perf");
  const auto ours_at = text.find("Options of Weft:");
  ASSERT_NE(ours_at, std::string::npos);
  for (const OptionEntry& entry : theirs())
    EXPECT_LT(text.find(fmt::format("--{} ", entry.name)), ours_at) << entry.name;
  for (const OptionEntry& entry : ours())
    EXPECT_GT(text.find(fmt::format("--{} ", entry.name)), ours_at) << entry.name;
}

}  // namespace
}  // namespace weft::perf
