// PMIx as Open MPI's mpirun offers it, with no MPI in the program.
#include <gmock/gmock.h>

#include <cstdio>
#include <set>
#include <sstream>

#include "bootstrap/pmix.hpp"

namespace weft::bootstrap::test {
namespace {

using testing::HasSubstr;

struct Ran {
  int status;
  std::string output;
};

Ran shell(const std::string& command) {
  Ran ran{};
  FILE* const pipe = ::popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (!pipe) return {-1, "popen failed"};
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    ran.output.append(buffer, got);
  ran.status = ::pclose(pipe);
  return ran;
}

class Mpirun : public testing::Test {
 protected:
  void SetUp() override {
    if (!pmix_missing().empty()) GTEST_SKIP() << pmix_missing();
    const Ran version = shell("mpirun --version");
    if (version.status != 0 || version.output.find("Open MPI") == std::string::npos)
      GTEST_SKIP() << "no mpirun of Open MPI on this machine";
  }
  // libpmix and its plugins keep what they allocate until the process ends.
  Ran ranks(u32 count, const std::string& arguments) {
    return shell("ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n " +
                 std::to_string(count) + " " WEFT_EXCHANGE_FROM_ENVIRONMENT " " + arguments);
  }
};

TEST_F(Mpirun, RanksExchangeAndShareASecretInTwoJobsAtOnce) {
  for (const u32 count : {1u, 4u}) {
    const Ran ran = ranks(count, "");
    EXPECT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    std::set<std::string> places, secrets;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string word, rank, of, total, secret, verdict;
      words >> word >> rank >> of >> total >> secret >> verdict;
      if (word != "rank") continue;
      EXPECT_EQ(total, std::to_string(count) + ":");
      EXPECT_EQ(verdict, "well") << line;
      places.insert(rank);
      secrets.insert(secret);
    }
    EXPECT_EQ(places.size(), count) << ran.output;
    EXPECT_EQ(secrets.size(), 1u) << ran.output;
  }
}

TEST_F(Mpirun, ARankThatDoesNotCallIsNamed) {
  const Ran ran = ranks(3, "--absent 1");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.output, HasSubstr("rank 1 has not called exchange after"));
}

}  // namespace
}  // namespace weft::bootstrap::test
