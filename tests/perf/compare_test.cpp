// Whole runs against a peer: the fake library on one rank, and a fake peer in a module of its own.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fake_library.hpp"
#include "fake_peer.hpp"
#include "perf/peer_module.hpp"
#include "tool_run.hpp"

namespace weft::perf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Compare : public testing::Test {
 protected:
  void SetUp() override {
    fake::set_fault(fake::Fault::none);
    ASSERT_TRUE(open_peer("fake"));
    const auto state =
        reinterpret_cast<fake::PeerState* (*)()>(dlsym(RTLD_DEFAULT, fake::peer_state_symbol));
    ASSERT_TRUE(state);
    peer_ = state();
    *peer_ = {};
    std::string name = (fs::temp_directory_path() / "weft-compare-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    EXPECT_EQ(fake::open_communicators(), 0);
    EXPECT_FALSE(fake::group_is_open());
  }

  nlohmann::json report_of(const Collective& collective, std::vector<std::string> words, int exit) {
    const std::string path = (folder_ / "run.json").string();
    fs::remove(path);
    words.insert(words.end(), {"-J", path});
    outcome_ = run(collective, words);
    EXPECT_EQ(outcome_.exit, exit) << outcome_.out << outcome_.err;
    std::ifstream in(path);
    return nlohmann::json::parse(in);
  }

  fake::PeerState* peer_ = nullptr;
  fs::path folder_;
  Outcome outcome_;
};

TEST_F(Compare, EveryRowHasItsRatioInTheTableAndInJson) {
  for (const Collective* collective : {&all_reduce, &reduce_scatter, &all_gather, &broadcast}) {
    const auto report =
        report_of(*collective, {"-b64", "-e256", "-f2", "-n2", "--compare", "fake"}, 0);
    EXPECT_EQ(outcome_.comment("# compared with : "), "# compared with : fake, a fake");
    EXPECT_EQ(report["config"]["peer"], "fake, a fake");
    ASSERT_EQ(outcome_.rows.size(), 3u);
    ASSERT_EQ(report["results"].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& row = report["results"][i];
      const auto& compare = row["compare"];
      EXPECT_EQ(compare.size(), 4u);
      EXPECT_EQ(compare["backend"], "fake");
      EXPECT_EQ(compare["state"], "none");  // of one process there is no distance
      EXPECT_GT(compare["time"], 0);
      ASSERT_EQ(row["compare_states"].size(), 1u);
      EXPECT_EQ(row["compare_states"][0]["form"], "plain");  // not the slow one
      const auto& state = row["compare_states"][0];
      EXPECT_EQ(state["state"], "none");
      EXPECT_EQ(state["points"], 9);
      EXPECT_EQ(state["weft_points"], 9);
      EXPECT_EQ(row["compare_dropped"], 0);
      EXPECT_DOUBLE_EQ(compare["ratio"].get<double>(),
                       state["time"].get<double>() / state["weft_time"].get<double>());
      ASSERT_EQ(outcome_.rows[i].size(), 13u + 4u);
      EXPECT_EQ(outcome_.rows[i].back(), "none");
    }
  }
  EXPECT_EQ(peer_->started, 4);
  EXPECT_EQ(peer_->finished, 4);
}

TEST_F(Compare, RoundsAreAskedFor) {
  const auto report =
      report_of(all_reduce, {"-b8", "-e8", "-n1", "--compare", "fake", "--rounds", "12"}, 0);
  EXPECT_EQ(report["results"][0]["compare_states"][0]["points"], 12);
}

TEST_F(Compare, AFormTakesTurnsWhereItFits) {
  peer_->large_from = 128;
  run(all_reduce, {"-b64", "-e64", "-n1", "--compare", "fake"});
  EXPECT_GT(peer_->calls_of_form[0], 9);
  EXPECT_GT(peer_->calls_of_form[1], 9);
  EXPECT_EQ(peer_->calls_of_form[2], 0);
  run(all_reduce, {"-b128", "-e128", "-n1", "--compare", "fake"});
  EXPECT_GT(peer_->calls_of_form[2], 9);
}

TEST_F(Compare, APeerSeesTheBuffersOfAllCalls) {
  run(all_reduce, {"-b64", "-e8K", "-f2", "-n1", "--compare", "fake"});
  EXPECT_NE(peer_->buffers.send, nullptr);
  EXPECT_NE(peer_->buffers.receive, peer_->buffers.send);
  EXPECT_GE(peer_->buffers.bytes, 8192u);
}

TEST_F(Compare, APeerMayStandUnderTheNameOfItsSettings) {
  const auto report = report_of(all_reduce, {"-b8", "-e8", "-n1", "--compare", "fake:tuned"}, 0);
  EXPECT_EQ(report["config"]["peer"], "fake:tuned, a fake");
  EXPECT_EQ(report["results"][0]["compare"]["backend"], "fake:tuned");
}

TEST_F(Compare, WeftIsComparedWithItselfInAnyOrderAndInGroups) {
  const auto report =
      report_of(all_reduce, {"-b8", "-e8K", "-f1024", "-n1", "--compare", "fast,grouped,fake"}, 0);
  ASSERT_EQ(report["results"].size(), 2u);
  std::vector<std::string> names;
  for (const auto& state : report["results"][0]["compare_states"])
    names.push_back(state["backend"]);
  EXPECT_THAT(names, testing::ElementsAre("fast", "grouped", "fake"));
  EXPECT_EQ(report["results"][0]["compare"]["backend"], "fast");
  // A thousand operations of 8 KiB are no small ones; the others go on.
  EXPECT_EQ(report["results"][1]["compare_refused"], "grouped is of messages up to 4096 B");
  EXPECT_EQ(report["results"][1]["compare_states"].size(), 2u);
}

TEST_F(Compare, WeftIsComparedWithItselfInAnotherTypeAndOffItsAlignment) {
  for (const Collective* collective : {&all_reduce, &reduce_scatter, &all_gather, &broadcast}) {
    const Outcome outcome =
        run(*collective, {"-g2", "-b64", "-e1000", "-f4", "-n2", "--compare", "bf16,unaligned"});
    EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
    ASSERT_EQ(outcome.rows.size(), 2u);
    EXPECT_EQ(outcome.rows[1].size(), 13u + 6u);
    EXPECT_THAT(outcome.rows[1], testing::Not(testing::Contains("-")));
  }
  // Faults are seen in the other type and place too.
  fake::set_fault(fake::Fault::flipped_bit);
  const Outcome wrong = run(all_reduce, {"-g2", "-b64", "-e64", "-n1", "--compare", "bf16"});
  EXPECT_THAT(wrong.out, HasSubstr("bf16: 1 wrong elements"));
  fake::set_fault(fake::Fault::none);
  const Outcome bits =
      run(all_reduce, {"-g2", "-b8", "-e8", "-n1", "-dint32", "-oband", "--compare", "bf16"});
  EXPECT_EQ(bits.exit, 0);
  EXPECT_THAT(bits.out, HasSubstr("#   bf16 has no band\n"));
}

TEST_F(Compare, GroupsAreOfOneThousandCalls) {
  for (const Collective* collective : {&all_reduce, &reduce_scatter, &all_gather, &broadcast})
    EXPECT_EQ(run(*collective, {"-g2", "-b512", "-e512", "-n1", "--compare", "grouped"}).exit, 0);
  fake::set_fault(fake::Fault::none);
  run(all_reduce, {"-g2", "-b8", "-e8", "-n1", "-w0", "-c0"});
  const long alone = fake::collectives();
  fake::set_fault(fake::Fault::none);
  run(all_reduce, {"-g2", "-b8", "-e8", "-n1", "-w0", "-c0", "--compare", "grouped"});
  // A trial, and nine points with a warm-up each, at least.
  EXPECT_GT(fake::collectives() - alone, (2 + 9 * 2) * 1000);
}

TEST_F(Compare, ABarrierIsARowOfItsOwn) {
  const auto report = report_of(barrier, {"-b8", "-e1K", "-f2", "-n3", "--compare", "fake"}, 0);
  ASSERT_EQ(report["results"].size(), 1u);
  EXPECT_EQ(report["results"][0]["size"], 0);
  EXPECT_EQ(report["results"][0]["compare"]["backend"], "fake");
  EXPECT_TRUE(report["results"][0]["out_of_place"]["nwrong"].is_null());
}

TEST_F(Compare, ABackendRunsTheTable) {
  const auto report = report_of(all_reduce, {"-b8", "-e8", "-n5", "--backend", "fake"}, 0);
  // Warm-up; per place: before the clock, timed, checked.
  EXPECT_EQ(peer_->calls, 1 + 2 * (1 + 5 + 1));
  EXPECT_EQ(outcome_.comment("# backend : "), "# backend : fake, a fake");
  EXPECT_EQ(report["config"]["backend"], "fake");
  EXPECT_FALSE(report["results"][0].contains("compare"));
  EXPECT_EQ(outcome_.rows[0].size(), 13u);
  peer_->calls = 0;
  EXPECT_EQ(run(all_reduce, {"-b8", "-e8", "-n5", "--backend", "weft"}).exit, 0);
  EXPECT_EQ(peer_->calls, 0);
}

TEST_F(Compare, WhatThePeerHasNotIsSaidAndNotTimed) {
  const auto report =
      report_of(all_reduce, {"-b8", "-e8", "-n1", "-dhalf", "--compare", "fake"}, 0);
  EXPECT_EQ(peer_->calls, 0);
  EXPECT_THAT(outcome_.out, HasSubstr("\n#   fake has no sum of half\n"));
  EXPECT_FALSE(report["results"][0].contains("compare"));
  EXPECT_TRUE(report["results"][0]["compare_states"].empty());
  EXPECT_EQ(report["results"][0]["compare_refused"], "fake has no sum of half");

  const Outcome backend = run(all_reduce, {"-b8", "-e8", "-n1", "-dhalf", "--backend", "fake"});
  EXPECT_EQ(backend.exit, 6);
  EXPECT_THAT(backend.err, HasSubstr("backend fake has no sum of half"));
  // Of all that there is, a backend runs what it has: two types, without prod and mulsum.
  EXPECT_EQ(
      run(all_reduce, {"-b8", "-e8", "-n1", "-dfloat", "-oall", "--backend", "fake"}).rows.size(),
      4u);
}

TEST_F(Compare, APeerThatIsWrongFailsTheRun) {
  peer_->is_wrong = true;
  const auto report = report_of(all_reduce, {"-b8", "-e8", "-n1", "--compare", "fake"}, 7);
  EXPECT_THAT(outcome_.out,
              HasSubstr("#   fake (slow): 1 wrong elements; fake (plain): 1 wrong elements\n"));
  EXPECT_EQ(report["results"][0]["compare_refused"],
            "fake (slow): 1 wrong elements; fake (plain): 1 wrong elements");
  EXPECT_EQ(run(all_reduce, {"-b8", "-e8", "-n1", "--backend", "fake"}).exit, 7);
  EXPECT_EQ(run(all_reduce, {"-b8", "-e8", "-n1", "-c0", "--compare", "fake"}).exit, 0);
}

TEST_F(Compare, APeerThatFailsEndsTheRunAndIsNotFinished) {
  peer_->fails = true;
  const Outcome call = run(all_reduce, {"-b8", "-e8", "-n1", "--compare", "fake"});
  EXPECT_EQ(call.exit, 3);
  EXPECT_THAT(call.err, HasSubstr("AllReduce of peer fake: as the test asked"));
  *peer_ = {.refuses_to_start = true};
  const Outcome start = run(all_reduce, {"-b8", "-e8", "-n1", "--compare", "fake"});
  EXPECT_EQ(start.exit, 3);
  EXPECT_THAT(start.err, HasSubstr("the start of peer fake: as the test asked"));
  EXPECT_EQ(peer_->finished, 0);
}

TEST_F(Compare, AMissingModuleSaysWhatToInstall) {
  const auto other = open_peer("nobody");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().exit, Exit::invalid_usage);
  EXPECT_THAT(other.error().text, HasSubstr("libweft_perf_nobody.so"));
  for (const char* name : {"", "../fake", "Fake", "fake.so"}) {
    ASSERT_FALSE(open_peer(name)) << name;
    EXPECT_EQ(open_peer(name).error().exit, Exit::bad_argument) << name;
  }
  // Tests lie in another folder than the tools, so there is no MPI module beside this one.
  const auto mpi = open_peer("mpi");
  ASSERT_FALSE(mpi);
  EXPECT_THAT(mpi.error().text, HasSubstr("install libopenmpi-dev"));
}

TEST_F(Compare, DetailsHaveTheirColumnsAndKeys) {
  const auto report =
      report_of(all_reduce, {"-b8", "-e8", "-n8", "--details", "--percentiles", "50,99.9"}, 0);
  ASSERT_EQ(outcome_.rows[0].size(), 13u + 3u + 2u);
  const auto& details = report["results"][0]["details"];
  EXPECT_GT(details["first_us"], 0);
  EXPECT_GE(details["cpu_us"], 0);
  EXPECT_GE(details["p99_over_p50"], 1);
  const auto& percentiles = report["results"][0]["percentiles_us"];
  EXPECT_GT(percentiles["50"], 0);
  EXPECT_GE(percentiles["99.9"], percentiles["50"]);
}

}  // namespace
}  // namespace weft::perf
