// Limits against needs: what is given up, and the line that says how to raise each of them.
#include "runtime/limits.hpp"

#include <gmock/gmock.h>

namespace weft::runtime {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Limits, EnoughIsNoWordWorth) {
  for (const u32 ranks : {1u, 2u, 16u, 100'000u}) {
    const Provision provision = provide({.files_open = 20, .files_most = 4096}, ranks, 2);
    EXPECT_THAT(provision.words, IsEmpty()) << ranks;
    EXPECT_EQ(provision.sockets, 2u);
  }
}

TEST(Limits, TheSoftLimitIsRaisedAsFarAsNeeded) {
  const Provision provision =
      provide({.files_open = 20, .files_allowed = 32, .files_most = 4096}, 9, 4);
  EXPECT_EQ(provision.files, 20u + 64u + 8u * 4u);
  EXPECT_THAT(provision.words, IsEmpty());
}

TEST(Limits, FewFilesAreFewSocketsForEachPeer) {
  const Provision provision = provide({.files_open = 20, .files_most = 20 + 64 + 8 * 3 + 7}, 9, 4);
  EXPECT_EQ(provision.sockets, 3u);
  EXPECT_EQ(provision.files, 20u + 64u + 8u * 3u);
  EXPECT_THAT(provision.words,
              ElementsAre(AllOf(HasSubstr("3 instead of 4 sockets"), HasSubstr("ulimit -n 128"),
                                HasSubstr("--ulimit nofile=128"), HasSubstr("LimitNOFILE=128"))));
}

TEST(Limits, TooFewFilesForOneSocketEachAreTriedAllTheSame) {
  const Provision provision = provide({.files_open = 60, .files_most = 64}, 9, 4);
  EXPECT_EQ(provision.sockets, 1u);
  EXPECT_THAT(provision.words, ElementsAre(HasSubstr("connections may fail")));
}

TEST(Limits, ThreadsAndAddressSpaceAreNamedWithTheirFix) {
  const Provision provision = provide({.threads = 99,
                                       .threads_allowed = 100,
                                       .address_space = u64{100} << 20,
                                       .address_space_allowed = u64{600} << 20},
                                      4, 2);
  EXPECT_THAT(provision.words, ElementsAre(HasSubstr("--pids-limit"), HasSubstr("ulimit -v")));
}

TEST(Limits, OfThisProcessCanBeRead) {
  const Limits limits = read_limits();
  EXPECT_GE(limits.files_open, 3u);
  EXPECT_GE(limits.files_most, limits.files_allowed);
  EXPECT_GT(limits.files_allowed, limits.files_open);
}

}  // namespace
}  // namespace weft::runtime
