// What a running job tells whoever asks: where each rank stands, and who is missing; and what it
// writes down at its end.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "control/status_client.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json ask() {
  const auto told = control::ask_status(::getpid(), Deadline::after(10s));
  EXPECT_TRUE(told) << told.error().text;
  return told ? json::parse(*told) : json();
}

TEST(JobStatus, TellsWhatEachRankDoesAndWhoIsMissing) {
  std::atomic<bool> asked{false};
  run_ranks(3, {}, [&](int rank, weft_comm_t comm) {
    float x = 1, y = 0;
    if (rank == 2)
      while (!asked) std::this_thread::sleep_for(1ms);
    std::thread asker;
    if (rank == 0)
      asker = std::thread([&] {
        std::this_thread::sleep_for(300ms);
        const json told = ask();
        asked = true;
        ASSERT_EQ(told["jobs"].size(), 1u);
        const json& one = told["jobs"][0]["communicators"][0];
        EXPECT_EQ(one["ranks"], 3);
        EXPECT_EQ(one["ledgers"].size(), 3u);
        EXPECT_TRUE(one["ledgers"][0]["in_operation"]);
        EXPECT_EQ(one["ledgers"][0]["operation"], "all_reduce(count 1, float, sum)");
        EXPECT_FALSE(one["ledgers"][2]["in_operation"]);
        EXPECT_NE(std::string(one["finding"]).find("rank 2 never arrived in call 0"),
                  std::string::npos)
            << one["finding"];
      });
    EXPECT_EQ(weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr), weft_ok);
    if (asker.joinable()) asker.join();
  });
  const auto refused = control::ask_status(1, Deadline::after(10s));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("process 1 has no job"), std::string::npos);
}

TEST(Verdict, IsWrittenDownWithAllLedgers) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "verdicts";
  std::filesystem::remove_all(folder);
  ::setenv("WEFT_VERDICT_DIR", folder.c_str(), 1);
  run_ranks(2, {.timeout_seconds = 0.5, .destroy = false}, [&](int rank, weft_comm_t comm) {
    float x = 1, y = 0;
    if (rank == 0) {
      EXPECT_EQ(weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr), weft_timed_out);
      std::this_thread::sleep_for(1s);
    } else {
      std::this_thread::sleep_for(3s);
    }
  });
  ::unsetenv("WEFT_VERDICT_DIR");
  std::vector<json> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(json::parse(std::ifstream(entry.path())));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]["processes"][0]["pid"], ::getpid());
  ASSERT_EQ(files[0]["verdicts"].size(), 1u);
  const json& verdict = files[0]["verdicts"][0];
  EXPECT_EQ(std::string(verdict["verdict"]).find("rank 1 never arrived in call 0"), 0u) << verdict;
  EXPECT_EQ(verdict["ledgers"].size(), 2u);
}

}  // namespace
}  // namespace weft::testing
