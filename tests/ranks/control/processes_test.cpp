// Ranks as processes that are killed, stopped or busy: whoever is left hears the same sentence,
// with the right culprit, also where no data ever went between the two.
#include "tests/ranks/api/processes.hpp"

#include <sys/mman.h>

#include <chrono>
#include <csignal>
#include <cstring>

namespace weft::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Seen by all ranks: their pids, and what they came to hear.
struct Board {
  std::atomic<int> pid[16];
  char heard[16][512];
  std::atomic<int> ready, done;
};

class Processes : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    void* const at =
        ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    board_ = new (at) Board{};
    for (const char* letter = GetParam(); *letter; ++letter) nodes_.emplace_back(1, *letter);
    ::setenv("WEFT_HEARTBEAT_TIMEOUT", "1.5", 1);
  }
  void TearDown() override {
    ::unsetenv("WEFT_HEARTBEAT_TIMEOUT");
    ::munmap(board_, sizeof(Board));
  }
  int ranks() const { return int(nodes_.size()); }

  // Waits for an error of the communicator without making a call, and notes it.
  bool hears(int rank, weft_comm_t comm, weft_result_t expected, std::chrono::seconds within) {
    const auto end = Clock::now() + within;
    while (Clock::now() < end) {
      if (const weft_result_t state = state_of(comm); state != weft_ok) {
        note(rank);
        if (state != expected)
          std::fprintf(stderr, "rank %d: %s: %s\n", rank, weft_result_name(state),
                       weft_last_error());
        return state == expected;
      }
      std::this_thread::sleep_for(5ms);
    }
    std::fprintf(stderr, "rank %d heard nothing\n", rank);
    return false;
  }
  void note(int rank) {
    const std::string text = weft_last_error();
    const std::size_t prefix =
        text.starts_with("rank " + std::to_string(rank) + ": ") ? text.find(": ") + 2 : 0;
    board_->heard[rank][text.copy(board_->heard[rank], sizeof board_->heard[rank] - 1, prefix)] = 0;
  }
  // All ready, before anything bad happens.
  void meet() {
    ++board_->ready;
    while (board_->ready < ranks()) std::this_thread::sleep_for(1ms);
  }
  // Every survivor has heard the same, which begins like this.
  void expect_heard(int victim, const std::string& start) {
    for (int rank = 0; rank < ranks(); ++rank) {
      if (rank == victim) continue;
      EXPECT_TRUE(std::string(board_->heard[rank]).starts_with(start))
          << rank << ": " << board_->heard[rank];
      EXPECT_STREQ(board_->heard[rank], board_->heard[victim == 0 ? 1 : 0]);
    }
  }

  std::vector<std::string> nodes_;
  Board* board_ = nullptr;
};

TEST_P(Processes, AKilledRankIsMissedAlsoByThoseWhoNeverTalkedToIt) {
  for (const int victim : {0, ranks() - 1}) {
    board_->ready = 0;
    const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
      meet();
      if (rank == victim) ::raise(SIGKILL);
      return hears(rank, comm, weft_remote_error, 5s);
    });
    for (int rank = 0; rank < ranks(); ++rank)
      EXPECT_EQ(outcomes[std::size_t(rank)], rank == victim ? SIGKILL : 0) << rank;
    expect_heard(victim, "rank " + std::to_string(victim) + " died");
  }
}

TEST_P(Processes, AStoppedRankIsFoundAndHearsOfItWhenItGoesOn) {
  for (const int victim : {0, ranks() / 2}) {
    board_->ready = board_->done = 0;
    const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
      board_->pid[rank] = ::getpid();
      float x = 1, y = 0;
      bool good = weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr) == weft_ok;
      meet();
      if (rank == victim) {
        ::raise(SIGSTOP);
        return good && hears(rank, comm, weft_remote_error, 5s);
      }
      const weft_result_t result =
          weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr);
      note(rank);
      if (++board_->done == ranks() - 1) ::kill(board_->pid[victim], SIGCONT);
      return good && result == weft_remote_error;
    });
    EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks()), 0));
    expect_heard(victim, "rank " + std::to_string(victim) + " is frozen");
    EXPECT_TRUE(
        std::string(board_->heard[victim]).starts_with("the others go on without this rank"))
        << board_->heard[victim];
  }
}

TEST_P(Processes, AShortStopAndAComputingRankAreNoReasonToEnd) {
  const int sleeper = ranks() - 1;
  const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
    board_->pid[rank] = ::getpid();
    meet();
    if (rank == sleeper) {
      if (const pid_t waker = ::fork(); waker == 0) {
        std::this_thread::sleep_for(700ms);
        ::kill(board_->pid[sleeper], SIGCONT);
        ::_exit(0);
      }
      ::raise(SIGSTOP);
      const auto end = Clock::now() + 3s;  // twice the timeout of beats
      while (Clock::now() < end) continue;
      while (::waitpid(-1, nullptr, 0) > 0) continue;
    }
    float x = 1, y = 0;
    return weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr) == weft_ok &&
           y == float(ranks());
  });
  EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks()), 0));
}

TEST_P(Processes, AnAbortReachesRanksThatComputeWithinASecond) {
  const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
    meet();
    const auto began = Clock::now();
    if (rank == ranks() - 1 && weft_comm_abort(comm) != weft_ok) return false;
    return hears(rank, comm, weft_aborted, 5s) && Clock::now() - began < 1s;
  });
  EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks()), 0));
  expect_heard(-1, "rank " + std::to_string(ranks() - 1) + " called weft_comm_abort");
}

TEST_P(Processes, WhoEndsAfterACleanEndIsNotMissed) {
  const int slow = ranks() - 1;
  const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
    if (weft_comm_finalize(comm) != weft_ok) return false;
    if (rank == slow) std::this_thread::sleep_for(2s);  // longer than the timeout of beats
    return state_of(comm) == weft_ok;
  });
  EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks()), 0));
}

// Ranks of a communicator that was split off have numbers of their own: what is said names it.
TEST_P(Processes, AVerdictSaysWhichCommunicatorItIsAbout) {
  const int last = ranks() - 1;
  const auto outcomes = fork_ranks(ranks(), nodes_, [&](int rank, weft_comm_t comm) {
    weft_comm_t turned = nullptr;
    if (weft_comm_split(comm, 0, -rank, &turned, nullptr) != weft_ok) return false;
    meet();
    if (rank == last) ::raise(SIGKILL);
    const bool heard = hears(rank, turned, weft_remote_error, 5s);
    const std::string text = board_->heard[rank];
    const std::string which = " of " + std::to_string(ranks()) + " ranks)";
    const bool good = text.find("rank 0 died") != text.npos &&
                      text.find("(in communicator ") != text.npos && text.ends_with(which) &&
                      hears(rank, comm, weft_remote_error, 5s) &&
                      std::string(board_->heard[rank]).find("(in communicator") == text.npos;
    if (!good) std::fprintf(stderr, "rank %d heard \"%s\"\n", rank, text.c_str());
    return weft_comm_destroy(turned) == weft_ok && heard && good;
  });
  for (int rank = 0; rank < last; ++rank) EXPECT_EQ(outcomes[std::size_t(rank)], 0) << rank;
}

// A program that blocks a signal and waits for it gets it, whatever threads the library has.
TEST_P(Processes, SignalsAreLeftToTheProgram) {
  const auto outcomes = fork_ranks(ranks(), nodes_, [&](int, weft_comm_t comm) {
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
    ::kill(::getpid(), SIGTERM);
    int signal = 0;
    return ::sigwait(&awaited, &signal) == 0 && signal == SIGTERM && state_of(comm) == weft_ok;
  });
  EXPECT_EQ(outcomes, std::vector<int>(std::size_t(ranks()), 0));
}

INSTANTIATE_TEST_SUITE_P(Nodes, Processes, ::testing::Values("aa", "ab", "aaaaa", "aabbc"));

}  // namespace
}  // namespace weft::testing
