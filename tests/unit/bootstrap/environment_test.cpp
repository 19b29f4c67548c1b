#include "bootstrap/environment.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "bootstrap/invitation.hpp"

namespace weft::bootstrap {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<Decision> decide_on(const Variables& variables, const std::string& pmix_missing = "") {
  return decide(
      [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end() || found->second.empty()) return std::nullopt;
        return found->second;
      },
      [&] { return pmix_missing; });
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

const Variables torch{
    {"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}};
const Variables pmix{{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "job.1"}};

template <class T>
::testing::AssertionResult is(const Result<Decision>& decision) {
  if (!decision) return ::testing::AssertionFailure() << decision.error().text;
  if (std::holds_alternative<T>(*decision)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "alternative " << decision->index();
}

std::string refusal(const Variables& variables, const std::string& pmix_missing = "") {
  const auto decision = decide_on(variables, pmix_missing);
  return decision ? "not refused" : decision.error().text;
}

TEST(Environment, ASecretIsWrittenOutOrInAFile) {
  const auto secret_of = [](const Variables& more) {
    return std::get<UseMaster>(decide_on(with(torch, more)).value()).secret.bytes();
  };
  const std::string path = testing::TempDir() + "weft-environment-secret";
  std::ofstream(path) << "s3cret\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(secret_of({{"WEFT_SECRET_FILE", path}}), secret_of({{"WEFT_SECRET", "s3cret"}}));
  EXPECT_NE(secret_of({{"WEFT_SECRET_FILE", path}}), secret_of({}));
  EXPECT_THAT(refusal(with(torch, {{"WEFT_SECRET_FILE", path}, {"WEFT_SECRET", "s3cret"}})),
              HasSubstr("are both set"));
  std::filesystem::remove(path);
  EXPECT_THAT(refusal(with(torch, {{"WEFT_SECRET_FILE", path}})), HasSubstr("No such file"));
}

TEST(Environment, NothingIsAJobOfOneRank) {
  EXPECT_TRUE(is<UseAlone>(decide_on({})));
  EXPECT_TRUE(is<UseAlone>(decide_on({{"RANK", ""}, {"MASTER_ADDR", "left over"}})));
}

// Loading libpmix takes ten milliseconds, which a job without a launcher need not spend.
TEST(Environment, PmixIsLookedForOnlyWhereALauncherOffersIt) {
  int asked = 0;
  const auto decide_counting = [&](const Variables& variables) {
    return decide(
        [&](const char* name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        },
        [&] { return ++asked, std::string(); });
  };
  EXPECT_TRUE(is<UseAlone>(decide_counting({})));
  EXPECT_TRUE(is<UseMaster>(decide_counting(torch)));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(is<UsePmix>(decide_counting(pmix)));
  EXPECT_EQ(asked, 1);
}

TEST(Environment, TorchVariablesAreARendezvousAtMaster) {
  const auto decision = decide_on(torch);
  ASSERT_TRUE(is<UseMaster>(decision));
  const auto& use = std::get<UseMaster>(*decision);
  EXPECT_EQ(use.host, "node7");
  EXPECT_EQ(use.rank, 1u);
  EXPECT_EQ(use.ranks, 4u);
  ASSERT_GT(use.ports.size(), 1u);
  EXPECT_EQ(use.ports.front(), 29500);
}

TEST(Environment, ThePortOfTorchrunsOwnStoreIsLeftToIt) {
  const auto decision = decide_on(with(torch, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}));
  ASSERT_TRUE(is<UseMaster>(decision));
  EXPECT_EQ(std::get<UseMaster>(*decision).ports.front(), 29501);
  const auto last = decide_on(with(torch, {{"MASTER_PORT", "65535"}}));
  ASSERT_TRUE(is<UseMaster>(last));
  EXPECT_EQ(std::get<UseMaster>(*last).ports, std::vector<u16>{65535});
}

TEST(Environment, ASecretOrAnotherRunMakesAnotherJob) {
  const auto secret_of = [](const Variables& more) {
    return std::get<UseMaster>(*decide_on(with(torch, more))).secret.bytes();
  };
  EXPECT_EQ(secret_of({}), secret_of({{"RANK", "3"}}));
  const Variables changes[] = {{{"WEFT_SECRET", "x"}},
                               {{"MASTER_PORT", "29501"}},
                               {{"MASTER_ADDR", "node8"}},
                               {{"TORCHELASTIC_RUN_ID", "run"}}};
  for (const Variables& change : changes) EXPECT_NE(secret_of({}), secret_of(change));
}

TEST(Environment, OneRankNeedsNoMaster) {
  EXPECT_TRUE(is<UseAlone>(decide_on({{"RANK", "0"}, {"WORLD_SIZE", "1"}})));
  EXPECT_TRUE(is<UseAlone>(decide_on(
      {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"SLURM_PROCID", "3"}})));
}

TEST(Environment, PartialOrWrongSetsNameTheVariable) {
  const std::pair<Variables, const char*> cases[] = {
      {{{"RANK", "0"}}, "WORLD_SIZE is not"},
      {{{"WORLD_SIZE", "2"}}, "RANK is not"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "MASTER_ADDR is not"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}, "MASTER_PORT is not"},
      {with(torch, {{"RANK", "4"}}), "RANK=4 is not below WORLD_SIZE=4"},
      {with(torch, {{"RANK", "-1"}}), "RANK=-1 is not a whole number"},
      {with(torch, {{"RANK", "one"}}), "RANK=one is not a whole number"},
      {with(torch, {{"RANK", "1 "}}), "RANK=1  is not a whole number"},
      {with(torch, {{"WORLD_SIZE", "0x4"}}), "WORLD_SIZE=0x4 is not a whole number"},
      {with(torch, {{"WORLD_SIZE", "99999999999"}}), "WORLD_SIZE=99999999999 is not"},
      {with(torch, {{"WORLD_SIZE", "0"}}), "is not below WORLD_SIZE=0"},
      {with(torch, {{"MASTER_PORT", "65536"}}), "MASTER_PORT=65536 is not"},
      {with(torch, {{"MASTER_PORT", "0"}}), "MASTER_PORT=0"},
  };
  for (const auto& [variables, text] : cases) EXPECT_THAT(refusal(variables), HasSubstr(text));
}

TEST(Environment, AUniqueIdComesFirst) {
  const UniqueId id = encode({Secret::random(), Contact{4711, {}}, false});
  const Variables by_id{{"WEFT_UNIQUE_ID", id.text()}, {"RANK", "3"}, {"WORLD_SIZE", "4"}};
  for (const Variables& more : {Variables{}, torch, pmix, Variables{{"PMI_SIZE", "9"}}}) {
    const auto decision = decide_on(with(more, by_id));
    ASSERT_TRUE(is<UseId>(decision));
    const auto& use = std::get<UseId>(*decision);
    EXPECT_TRUE(use.id == id && use.rank == 3 && use.ranks == 4);
  }
  EXPECT_THAT(refusal({{"WEFT_UNIQUE_ID", id.text()}}), HasSubstr("RANK is not"));
  EXPECT_THAT(refusal(with(by_id, {{"WEFT_UNIQUE_ID", "abc"}})), HasSubstr("WEFT_UNIQUE_ID: "));
}

TEST(Environment, PmixComesBeforeTorchVariablesUnlessTorchrunIsTheInnerLauncher) {
  EXPECT_TRUE(is<UsePmix>(decide_on(pmix)));
  EXPECT_TRUE(is<UsePmix>(decide_on(with(pmix, torch))));
  EXPECT_TRUE(is<UsePmix>(decide_on(with(pmix, {{"OMPI_COMM_WORLD_SIZE", "4"}}))));
  EXPECT_TRUE(is<UseMaster>(decide_on(with(with(pmix, torch), {{"TORCHELASTIC_RUN_ID", "none"}}))));
}

TEST(Environment, PmixThatCannotBeUsedIsAnErrorUnlessThereIsAnotherWay) {
  const Variables seen = with(pmix, {{"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_THAT(refusal(seen, "it is not built in"),
              AllOf(HasSubstr("PMIX_RANK=2"), HasSubstr("it is not built in")));
  EXPECT_TRUE(is<UseMaster>(decide_on(with(seen, torch), "it is not built in")));
}

TEST(Environment, LaunchersWithoutARendezvousAreRefusedByName) {
  const std::pair<Variables, const char*> cases[] = {
      {{{"OMPI_COMM_WORLD_SIZE", "2"}}, "OMPI_COMM_WORLD_SIZE=2"},
      {{{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "0"}}, "OMPI_COMM_WORLD_SIZE=2"},
      {{{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}, "PMI_SIZE=2"},
      {{{"PMI_RANK", "0"}}, "PMI_RANK=0"},
      {{{"MV2_COMM_WORLD_SIZE", "16"}}, "MV2_COMM_WORLD_SIZE=16"},
      {{{"JSM_NAMESPACE_SIZE", "6"}}, "JSM_NAMESPACE_SIZE=6"},
      {{{"FLUX_JOB_SIZE", "3"}}, "FLUX_JOB_SIZE=3"},
      {{{"PALS_RANKID", "1"}}, "PALS_RANKID=1"},
      {{{"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}}, "SLURM_NTASKS=2"},
      {{{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "0"}}, "SLURM_STEP_NUM_TASKS=2"},
  };
  for (const auto& [variables, text] : cases)
    EXPECT_THAT(refusal(variables), AllOf(HasSubstr(text), HasSubstr("RANK=0 and WORLD_SIZE=1")));
}

TEST(Environment, LaunchersOfOneRankAreNot) {
  for (const Variables& variables :
       {Variables{{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}},
        Variables{{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}},
        Variables{{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}},
        Variables{{"SLURM_NTASKS", "8"}},  // a shell of salloc
        Variables{{"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}})
    EXPECT_TRUE(is<UseAlone>(decide_on(variables)));
}

}  // namespace
}  // namespace weft::bootstrap
