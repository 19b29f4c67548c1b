// What ranks tell each other, and what every rank concludes from it alike.
#include "runtime/manifest.hpp"

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

Manifest rank_on(const std::string& node, const std::string& host = "h",
                 const std::string& process = "p") {
  Manifest m{.version = "1",
             .node = node,
             .host = host,
             .host_name = host + ".example",
             .process = process,
             .transport = "auto",
             .frames = 2};
  return m;
}

TEST(Manifest, SurvivesTheWire) {
  Manifest m = rank_on("a \"quoted\" node\n");
  m.slot_bytes = ~u64{0};
  const auto back = Manifest::parse(3, m.text());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->node, m.node);
  EXPECT_EQ(back->slot_bytes, m.slot_bytes);
  const Addresses addresses{.loopback = std::string("\0\xff", 2), .tcp = "t"};
  const auto there = Addresses::parse(3, addresses.text());
  ASSERT_TRUE(there);
  EXPECT_EQ(there->loopback, addresses.loopback);
  for (const char* garbage : {"", "{}", "[1]", "\xff", "{\"version\": 1}"}) {
    const auto bad = Manifest::parse(7, garbage);
    ASSERT_FALSE(bad) << garbage;
    EXPECT_NE(bad.error().text.find("rank 7"), std::string::npos);
  }
}

TEST(Shape, NodesAreInTheOrderOfTheirFirstRank) {
  EXPECT_EQ(shape_of({rank_on("b"), rank_on("b"), rank_on("a")}).text(), "2+1");
  const auto round_robin =
      shape_of({rank_on("a"), rank_on("b"), rank_on("a"), rank_on("b"), rank_on("a")});
  EXPECT_EQ(round_robin.size, (std::vector<u32>{3, 2}));
  EXPECT_EQ(round_robin.order, (std::vector<u32>{0, 2, 4, 1, 3}));
  EXPECT_TRUE(shape_of({rank_on("a"), rank_on("b")}).order.empty());
}

TEST(Way, IsTheNearestThatBothHave) {
  EXPECT_EQ(*way_between(rank_on("a"), rank_on("a")), Way::loopback);
  EXPECT_EQ(*way_between(rank_on("a"), rank_on("a", "h", "q")), Way::shm);
  EXPECT_EQ(*way_between(rank_on("a"), rank_on("b")), Way::tcp);  // emulated nodes
  EXPECT_EQ(*way_between(rank_on("a"), rank_on("a", "i", "q")),
            Way::tcp);  // one name for two hosts
}

// Containers of one host share its boot id and cannot reach each other's sockets of the node.
TEST(Way, BetweenContainersOfOneHostIsTheNetwork) {
  Manifest a = rank_on("a"), b = rank_on("a", "h", "q");
  a.shm = b.shm = "a socket";
  EXPECT_TRUE(manifests_suffice({a, b}));
  b.network = "another";
  EXPECT_EQ(*way_between(a, b), Way::tcp);
  EXPECT_FALSE(manifests_suffice({a, b}));
  a.transport = b.transport = "shm";
  EXPECT_FALSE(way_between(a, b));
}

TEST(Way, CanBeForcedWhereItExists) {
  Manifest a = rank_on("a"), b = rank_on("b", "i", "q");
  for (const char* forced : {"shm", "loopback", "pigeon"}) {
    a.transport = b.transport = forced;
    const auto way = way_between(a, b);
    ASSERT_FALSE(way);
    EXPECT_NE(way.error().text.find(forced), std::string::npos);
  }
  a.transport = b.transport = "tcp";
  EXPECT_EQ(*way_between(a, b), Way::tcp);
}

// Whenever it says so, each pair of ranks shares memory; the reverse is checked where it must hold.
TEST(ManifestsSuffice, OnlyWhereEverybodySharesMemory) {
  const auto reached = [](Manifest m) {
    m.shm = "shm:" + m.process;
    return m;
  };
  const auto rank = [&](const char* node, const char* host, const char* process) {
    return reached(rank_on(node, host, process));
  };
  const auto all_shm = [](const std::vector<Manifest>& ranks) {
    for (const Manifest& a : ranks)
      for (const Manifest& b : ranks)
        if (&a != &b && way_between(a, b).value_or(Way::tcp) != Way::shm) return false;
    return true;
  };
  const std::vector<std::vector<Manifest>> jobs = {
      {rank("a", "h", "p"), rank("a", "h", "q"), rank("a", "h", "r")},
      {rank("a", "h", "p"), rank("a", "h", "q"), rank("a", "h", "p")},  // threads of one process
      {rank("a", "h", "p"), rank("b", "h", "q"), rank("a", "h", "r")},  // emulated nodes
      {rank("a", "h", "p"), rank("a", "i", "q")},
  };
  for (std::vector<Manifest> ranks : jobs) {
    EXPECT_EQ(manifests_suffice(ranks), all_shm(ranks)) << shape_of(ranks).text();
    for (Manifest& m : ranks) m.transport = "shm";
    EXPECT_EQ(manifests_suffice(ranks), all_shm(ranks)) << "forced, " << shape_of(ranks).text();
    for (Manifest& m : ranks) m.transport = "tcp", m.shm.clear();
    EXPECT_FALSE(manifests_suffice(ranks));
  }
}

TEST(Agree, NamesTheKeyAndTheMinority) {
  std::vector<Manifest> ranks(5, rank_on("a"));
  EXPECT_TRUE(agree(ranks));
  ranks[3].slots = 9;
  const Status status = agree(ranks);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::mismatch);
  EXPECT_NE(status.error().text.find(
                "WEFT_SLOTS differs: \"9\" on rank 3 (h.example), \"0\" on ranks 0, 1, 2, 4"),
            std::string::npos)
      << status.error().text;
}

TEST(Differences, NameTheMinorityAndWhatMatters) {
  std::vector<Manifest> ranks(4, rank_on("a"));
  EXPECT_TRUE(differences(ranks).empty());
  ranks[2].environment["WEFT_TIMEOUT"] = "5";
  for (Manifest& rank : ranks) rank.facts["the kernel"] = "6.1";
  ranks[1].facts["the kernel"] = "5.10";
  const auto found = differences(ranks);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].matters);
  EXPECT_EQ(found[0].text,
            "WEFT_TIMEOUT differs: \"5\" on rank 2 (h.example), \"\" on ranks 0, 1, 3 (h.example)");
  EXPECT_FALSE(found[1].matters);
  EXPECT_EQ(found[1].text,
            "the kernel differs: \"5.10\" on rank 1 (h.example), \"6.1\" on ranks 0, 2, 3 "
            "(h.example)");
}

TEST(Differences, SecretsDoNotTravel) {
  ::setenv("WEFT_SECRET", "a secret", 1);
  ::setenv("WEFT_TIMEOUT", "7", 1);
  Manifest mine;
  tell_surroundings(mine);
  ::unsetenv("WEFT_SECRET");
  ::unsetenv("WEFT_TIMEOUT");
  EXPECT_EQ(mine.environment["WEFT_TIMEOUT"], "7");
  EXPECT_EQ(mine.text().find("a secret"), std::string::npos);
}

TEST(Crowded, CountsTheCoresThatAnyRankOfTheHostMayUse) {
  const auto host = [](std::vector<std::vector<u64>> cores) {
    std::vector<Manifest> ranks(cores.size());
    for (std::size_t r = 0; r < ranks.size(); ++r)
      ranks[r].host = "here", ranks[r].cores = cores[r];
    return ranks;
  };
  EXPECT_FALSE(is_crowded(0, host({{0b01}, {0b10}})));  // bound to a core each
  EXPECT_FALSE(is_crowded(1, host({{0b11}, {0b11}})));
  EXPECT_TRUE(is_crowded(0, host({{0b01}, {0b01}})));
  EXPECT_TRUE(is_crowded(0, host({{0b11}, {0b11}, {0b11}})));
  EXPECT_FALSE(is_crowded(0, host({{0, 1}, {1}})));  // beyond the first word
  auto apart = host({{0b1}, {0b1}});
  apart[1].host = "there";
  EXPECT_FALSE(is_crowded(0, apart));
}

}  // namespace
}  // namespace weft::runtime
