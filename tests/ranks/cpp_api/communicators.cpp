// Making, splitting, asking and leaving.
#include "tests/ranks/cpp_api/ranks.hpp"

namespace weft::testing {
namespace {

static_assert(!std::is_copy_constructible_v<Communicator>);
static_assert(std::is_nothrow_move_constructible_v<Communicator>);
static_assert(std::is_nothrow_move_assignable_v<Communicator>);
static_assert(!std::is_copy_constructible_v<Request> && std::is_nothrow_move_assignable_v<Request>);
static_assert(!std::is_copy_constructible_v<Operation> && !std::is_copy_constructible_v<Memory>);
static_assert(!std::is_copy_constructible_v<Operator<int>> && !std::is_move_constructible_v<Group>);

TEST(Communicators, KnowThemselves) {
  run_ranks("aab", {.algorithm = "ring", .order = Order::fast}, [](Communicator& comm) {
    EXPECT_TRUE(comm);
    EXPECT_EQ(comm.ranks(), 3u);
    EXPECT_LT(comm.rank(), Rank{3});
    const Info info = comm.info();
    EXPECT_EQ(info.shape, "2+1");
    EXPECT_EQ(info.order, "fast");
    EXPECT_EQ(info.node_name, comm.rank() == Rank{2} ? "b" : "a");
    EXPECT_EQ(info.nodes, 2);
    EXPECT_EQ(info.transport_between_nodes, "tcp");
    const std::string why = comm.explain(Collective::all_reduce, 1000, DataType::float32);
    EXPECT_NE(why.find("ring"), std::string::npos) << why;
  });
}

TEST(Communicators, SplitAndDuplicate) {
  run_ranks("aabb", {}, [](Communicator& comm) {
    const int own = comm.rank().value;
    Communicator half = comm.split(Color{own % 2}, Key{-own});
    EXPECT_EQ(half.ranks(), 2u);
    EXPECT_EQ(half.rank(), Rank{own < 2 ? 1 : 0});  // the higher came first
    std::vector<int> values{own};
    half.all_reduce(values);
    EXPECT_EQ(values[0], own % 2 == 0 ? 2 : 4);
    std::optional<Communicator> few = comm.split(own == 3 ? std::nullopt : std::optional(Color{7}));
    EXPECT_EQ(few.has_value(), own != 3);
    if (few) { EXPECT_EQ(few->ranks(), 3u); }
    Communicator twin = comm.duplicate({.timeout = Seconds{30}});
    EXPECT_EQ(twin.rank(), comm.rank());
    twin.barrier();
    EXPECT_EQ(code_of([&] { comm.split(Color{-5}); }), Code::invalid_argument);
    comm.barrier();
  });
}

TEST(Communicators, OutliveTheirNameWhileSomethingNeedsThem) {
  run_ranks("aa", {}, [](Communicator& comm) {
    std::vector<int> values(5, 1);
    Operation operation;
    {
      Communicator twin = comm.duplicate();
      operation = twin.all_reduce_init(values);
    }
    operation.start().wait();
    EXPECT_EQ(values[4], 2);
  });
}

TEST(Communicators, ThatBelongToNobodyRefuse) {
  Communicator nobody;
  std::vector<int> values(2);
  EXPECT_FALSE(nobody);
  EXPECT_EQ(nobody.native_handle(), nullptr);
  const auto refused = [](auto call) { EXPECT_EQ(code_of(call), Code::invalid_argument); };
  refused([&] { nobody.all_reduce(values); });
  refused([&] { nobody.reduce_scatter(values); });
  refused([&] { static_cast<void>(nobody.barrier_start()); });
  refused([&] { nobody.rank(); });
  refused([&] { nobody.state(); });
  refused([&] { nobody.info(); });
  refused([&] { nobody.split(Color{0}); });
  refused([&] { nobody.finalize(); });
  refused([&] { UniqueId::from_text("nonsense"); });
  run_ranks("a", {}, [&](Communicator& comm) {
    const Communicator owner = std::move(comm);
    EXPECT_TRUE(owner);
    refused([&] { comm.barrier(); });  // NOLINT: what a moved-from one does
  });
}

TEST(Communicators, MayBeMadeAndLeftInTheBackground) {
  const UniqueId id = UniqueId::from_text(UniqueId::create().text());
  std::vector<Communicator> comms;
  for (int rank = 0; rank < 2; ++rank)
    comms.push_back(Communicator::join(id, Rank{rank}, 2,
                                       {.node = "a", .timeout = Seconds{60}, .blocking = false}));
  for (Communicator& comm : comms)
    while (comm.state() == Code::in_progress) std::this_thread::yield();
  for (Communicator& comm : comms) EXPECT_EQ(comm.state(), Code::ok);
  EXPECT_EQ(comms[1].rank(), Rank{1});
  for (Communicator& comm : comms) comm.finalize();
  for (Communicator& comm : comms)
    while (comm.state() == Code::in_progress) std::this_thread::yield();
  EXPECT_EQ(comms[0].ranks(), 2u);
  EXPECT_EQ(code_of([&] { comms[0].barrier(); }), Code::invalid_argument);
}

TEST(Communicators, InTheMakingAreLetGoWithoutWaiting) {
  const UniqueId id = UniqueId::create();
  // Rank 1 never comes; without the abort this would last as long as the timeout.
  const Communicator alone =
      Communicator::join(id, Rank{0}, 2, {.timeout = Seconds{3600}, .blocking = false});
  EXPECT_EQ(alone.state(), Code::in_progress);
}

TEST(Communicators, AreAbortedFromAnotherThread) {
  run_ranks("ab", {}, [](Communicator& comm) {
    if (comm.rank() == Rank{1}) {
      std::vector<int> values(3);
      Request request = comm.all_reduce_start(values);
      std::thread([&] { comm.abort(); }).join();
      EXPECT_EQ(code_of([&] { request.wait(); }), Code::aborted);
    } else {
      EXPECT_NE(code_of([&] { comm.barrier(); }), Code::ok);
    }
  });
}

TEST(Errors, HaveNames) {
  EXPECT_STREQ(name_of(Code::timed_out), "timed out");
  const Error error(Code::mismatch, "text");
  EXPECT_STREQ(error.what(), "text");
  EXPECT_EQ(error.code(), Code::mismatch);
}

}  // namespace
}  // namespace weft::testing
