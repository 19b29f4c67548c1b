// Requests, planned operations and futures: how they end, and what becomes of those nobody ends.
#include <atomic>
#include <latch>

#include "tests/ranks/cpp_api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;

class Requests : public ::testing::TestWithParam<Progress> {
 protected:
  Config config() const { return {.progress = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Progress, Requests, ::testing::Values(Progress::caller, Progress::thread));

TEST_P(Requests, WaitForGivesUpWithoutHarm) {
  std::latch gave_up{1};
  run_ranks("ab", config(), [&](Communicator& comm) {
    std::vector<int> values(100, comm.rank().value + 1);
    if (comm.rank() == Rank{1}) gave_up.wait();
    Request request = comm.all_reduce_start(values);
    if (comm.rank() == Rank{0}) {
      EXPECT_FALSE(request.test());
      EXPECT_FALSE(request.wait_for(1ms));
      EXPECT_TRUE(request);
      gave_up.count_down();
    }
    EXPECT_TRUE(request.wait_for(60s));
    EXPECT_FALSE(request);
    EXPECT_TRUE(request.test());  // what has ended is done, as often as one asks
    request.wait();
    EXPECT_EQ(values[99], 3);
  });
}

TEST_P(Requests, CallBackOnceWhenTheyHaveEnded) {
  run_ranks("aab", config(), [](Communicator& comm) {
    std::vector<float> values(1000, 1);
    std::atomic<int> calls{0};
    std::atomic<float> seen{0};
    Request request = comm.all_reduce_start(values);
    // A callable that cannot be copied.
    request.on_completion([&, own = std::make_unique<int>(5)](Code outcome) {
      if (outcome == Code::ok && *own == 5) ++calls;
      seen = values[999];
    });
    EXPECT_EQ(code_of([&] { request.on_completion([](Code) {}); }), Code::invalid_argument);
    request.wait();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(seen, 3);
    EXPECT_EQ(code_of([&] { request.on_completion([](Code) {}); }), Code::invalid_argument);
  });
}

TEST_P(Requests, ThatAreDroppedEndTheCommunicator) {
  std::latch dropped{1};
  run_ranks("ab", config(), [&](Communicator& comm) {
    std::vector<int> values(10);
    if (comm.rank() == Rank{0}) {
      std::atomic<int> outcome{-1};
      {
        Request request = comm.all_reduce_start(values);
        request.on_completion([&](Code code) { outcome = int(code); });
      }
      EXPECT_EQ(Code(outcome.load()), Code::aborted);
      dropped.count_down();
    } else {
      dropped.wait();
      const Code code = code_of([&] { comm.all_reduce(values); });
      EXPECT_TRUE(code == Code::aborted || code == Code::remote_error) << name_of(code);
    }
    EXPECT_EQ(code_of([&] { comm.barrier(); }), Code::aborted);
    EXPECT_NE(comm.state(), Code::ok);
  });
}

TEST_P(Requests, ThatHaveEndedMayBeDropped) {
  run_ranks("ab", config(), [](Communicator& comm) {
    std::vector<int> values(10, 1), others(10, 1);
    {
      Request dropped = comm.all_reduce_start(values);
      comm.barrier();  // in call order at each rank, so the first has ended or is about to
      while (!dropped.test()) continue;
      dropped = comm.all_reduce_start(others);
      dropped.wait();
    }
    EXPECT_EQ(comm.state(), Code::ok);
    EXPECT_EQ(values[9] + others[9], 4);
  });
}

TEST(Request, ThatTimesOutThrowsOnceAndPoisons) {
  std::latch timed_out{1};
  run_ranks("aa", {}, [&](Communicator& comm) {
    std::vector<int> values(10);
    if (comm.rank() == Rank{0}) {
      Request request = comm.all_reduce_start(values);
      EXPECT_EQ(code_of([&] { request.wait(10ms); }), Code::timed_out);
      EXPECT_EQ(code_of([&] { request.wait(); }), Code::ok);  // there is none any more
      EXPECT_EQ(comm.state(), Code::timed_out);
      timed_out.count_down();
    } else {
      timed_out.wait();
    }
    EXPECT_NE(code_of([&] { comm.barrier(); }), Code::ok);
  });
}

TEST(Request, MovesAndWaitsInAnyOrder) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<std::vector<int>> buffers(20, std::vector<int>(3, 1));
    std::vector<Request> requests;
    for (auto& buffer : buffers) requests.push_back(comm.all_reduce_start(buffer));
    Request last = std::move(requests.back());
    requests.pop_back();
    last.wait();
    wait_all(requests);
    for (const auto& buffer : buffers) EXPECT_EQ(buffer, std::vector<int>(3, 3));
  });
}

TEST_P(Requests, OfAnOperationRunOneAtATime) {
  run_ranks("ab", config(), [](Communicator& comm) {
    std::vector<int> values(10, 1);
    EXPECT_NE(code_of([] { Operation().start(); }), Code::ok);
    Operation first = comm.all_reduce_init(values);
    first.start();
    EXPECT_EQ(code_of([&] { first.start(); }), Code::invalid_argument);
    first.wait();
    EXPECT_TRUE(first.test());
    Operation moved = std::move(first);
    moved.start().wait();
    EXPECT_EQ(values, std::vector<int>(10, 4));
    moved = comm.barrier_init();
    moved.start().wait();
  });
}

TEST_P(Requests, OfAnOperationThatIsDroppedEndTheCommunicator) {
  std::latch dropped{1};
  run_ranks("ab", config(), [&](Communicator& comm) {
    std::vector<int> values(10);
    Operation operation = comm.all_reduce_init(values);
    if (comm.rank() == Rank{0}) {
      operation.start();
      operation = Operation();
      dropped.count_down();
    } else {
      dropped.wait();
      EXPECT_NE(code_of([&] { operation.start().wait(); }), Code::ok);
    }
    EXPECT_EQ(code_of([&] { comm.barrier(); }), Code::aborted);
  });
}

TEST_P(Requests, OfAFutureGiveTheirResultOnce) {
  run_ranks("aab", config(), [](Communicator& comm) {
    Future<std::vector<double>> nothing;
    EXPECT_FALSE(nothing.valid());
    EXPECT_EQ(code_of([&] { nothing.get(); }), Code::invalid_argument);
    auto sum = comm.all_reduce_async(std::vector<double>{1, 2});
    auto letters = comm.all_gather_async(std::vector<char>{char('A' + comm.rank().value)});
    auto moved = std::move(letters);
    EXPECT_TRUE(moved.wait_for(60s));
    EXPECT_EQ(moved.get(), (std::vector<char>{'A', 'B', 'C'}));
    EXPECT_EQ(sum.get(), (std::vector<double>{3, 6}));
    EXPECT_FALSE(sum.valid());
    EXPECT_EQ(code_of([&] { sum.get(); }), Code::invalid_argument);
  });
}

TEST_P(Requests, OfAFutureThatFailsHoldNothing) {
  run_ranks("ab", config(), [](Communicator& comm) {
    if (comm.rank() == Rank{0}) {
      auto lost = comm.all_reduce_async(std::vector<int>(1000));
      comm.abort();
      EXPECT_EQ(code_of([&] { lost.wait_for(60s); }), Code::aborted);
      EXPECT_FALSE(lost.valid());
    }
    // Dropped while it runs, or after the abort: the buffer outlives the call either way.
    const Code code =
        code_of([&] { static_cast<void>(comm.all_reduce_async(std::vector<int>(9))); });
    EXPECT_TRUE(code == Code::ok || code == Code::aborted) << name_of(code);
  });
}

}  // namespace
}  // namespace weft::testing
