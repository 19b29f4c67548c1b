// What comes to the doors and links of a running job that is none of its own doing: crowds, a
// network that resets connections, files that run out. Nobody is lost by it, and who is, is found.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>

#include "control/hub.hpp"
#include "control/status_client.hpp"
#include "control/status_door.hpp"
#include "tests/ranks/api/processes.hpp"
#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

bool adds_up(weft_comm_t comm, int ranks) {
  float x = 1, y = 0;
  return weft_all_reduce(&x, &y, 1, weft_float32, weft_sum, comm, nullptr) == weft_ok &&
         y == float(ranks);
}

bool hears_of_a_death(weft_comm_t comm, const std::string& start) {
  const auto end = Clock::now() + 8s;
  while (Clock::now() < end && state_of(comm) == weft_ok) std::this_thread::sleep_for(5ms);
  const std::string text = weft_last_error();
  if (text.find(start) != text.npos) return true;
  std::fprintf(stderr, "heard \"%s\"\n", text.c_str());
  return false;
}

bootstrap::Contact own_door() {
  const auto bytes = control::Hub::here().contact();
  bootstrap::Reader reader(*bytes);
  return bootstrap::Contact::read(reader);
}

u16 port_of(int socket, bool peer) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  auto* const at = reinterpret_cast<sockaddr*>(&name);
  const int failed = peer ? ::getpeername(socket, at, &size) : ::getsockname(socket, at, &size);
  const bool is_ip = name.ss_family == AF_INET || name.ss_family == AF_INET6;
  return failed || !is_ip ? u16{0} : bootstrap::Address::of(name).port;
}

// Ends every connection that was accepted at this process's door, as a firewall would.
int reset_links() {
  const u16 door = own_door().port;
  int ended = 0;
  for (int file = 3; file < 1024; ++file)
    if (port_of(file, false) == door && port_of(file, true) != 0)
      ended += ::shutdown(file, SHUT_RDWR) == 0;
  return ended;
}

void allow_files(rlim_t most) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(most, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

class Doors : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("WEFT_HEARTBEAT_TIMEOUT", "1.5", 1); }
  void TearDown() override { ::unsetenv("WEFT_HEARTBEAT_TIMEOUT"); }
};

// Both ends live: the links are made again, nobody is blamed, and a death is still heard of.
TEST_F(Doors, LinksThatAreResetAreMadeAgain) {
  const auto outcomes = fork_ranks(4, nodes("abcd"), [&](int rank, weft_comm_t comm) {
    bool good = adds_up(comm, 4);
    std::this_thread::sleep_for(500ms);
    for (int i = 0; i < 2; ++i) {
      const int ended = rank == 0 ? reset_links() : 1;
      good &= ended > 0 || i > 0;  // made again by calls of the root's own they are not at its door
      std::this_thread::sleep_for(1s);
    }
    good &= state_of(comm) == weft_ok && adds_up(comm, 4);
    if (!good) std::fprintf(stderr, "rank %d: %s\n", rank, weft_last_error());
    (void)weft_barrier(comm, nullptr);  // all have looked
    if (rank == 3) ::raise(SIGKILL);
    return hears_of_a_death(comm, "rank 3 died") && good;
  });
  EXPECT_EQ(outcomes, (std::vector<int>{0, 0, 0, SIGKILL}));
}

// Far more strangers than there is room for, who say nothing and stay.
TEST_F(Doors, ACrowdKeepsNobodyOut) {
  const auto outcomes = fork_ranks(4, nodes("abcd"), [&](int rank, weft_comm_t comm) {
    allow_files(4096);
    std::vector<Fd> crowd;  // at every door, before anybody calls there
    for (int i = 0; i < 1500; ++i) {
      int error = 0;
      crowd.push_back(control::begin_connecting(own_door().addresses().front(), error));
    }
    bool good = adds_up(comm, 4);
    std::this_thread::sleep_for(1s);
    good &= control::Hub::here().strangers() > 0;
    (void)weft_barrier(comm, nullptr);  // all have looked
    if (rank == 3) ::raise(SIGKILL);
    return hears_of_a_death(comm, "rank 3 died") && good;
  });
  EXPECT_EQ(outcomes, (std::vector<int>{0, 0, 0, SIGKILL}));
}

// The root can accept nobody for a while; it hears of the others once it can.
TEST_F(Doors, FilesThatRunOutForAWhileLoseNobody) {
  const auto outcomes = fork_ranks(3, nodes("abc"), [&](int rank, weft_comm_t comm) {
    bool good = adds_up(comm, 3);
    if (rank == 0) {  // before links are made, which takes a moment
      std::vector<Fd> all;
      allow_files(256);
      for (int file; (file = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
        all.emplace_back(file);
      good &= errno == EMFILE;
      std::this_thread::sleep_for(1600ms);  // others call, and are called
    }
    std::this_thread::sleep_for(2s);
    good &= state_of(comm) == weft_ok && adds_up(comm, 3);
    (void)weft_barrier(comm, nullptr);
    if (rank == 2) ::raise(SIGKILL);
    return hears_of_a_death(comm, "rank 2 died") && good;
  });
  EXPECT_EQ(outcomes, (std::vector<int>{0, 0, SIGKILL}));
}

// One question is asked while another is on its way, and one client talks where there is nothing to
// be said: everybody who waits gets an answer.
TEST(StatusDoor, AnswersAllWhoAskAtOnce) {
  run_ranks(2, {}, [](int rank, weft_comm_t comm) {
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_ok);
    if (rank == 0) {
      int error = 0;
      control::Stream talker(control::connect_to(control::status_name(::getpid()), error), 1 << 20);
      talker.put(std::string(1000, 'x'));
      talker.move();
      std::vector<std::thread> askers;
      for (int i = 0; i < 4; ++i)
        askers.emplace_back([i] {
          std::this_thread::sleep_for(i * 40ms);
          const auto told = control::ask_status(::getpid(), Deadline::after(10s));
          ASSERT_TRUE(told) << told.error().text;
          EXPECT_NE(told->find("\"ranks\": 2"), std::string::npos) << *told;
        });
      for (std::thread& asker : askers) asker.join();
      const auto end = Clock::now() + 2s;  // far less than a client that listens has
      while (!talker.ended() && Clock::now() < end) {
        std::this_thread::sleep_for(5ms);
        talker.move();
      }
      EXPECT_TRUE(talker.ended());
    }
    EXPECT_EQ(weft_barrier(comm, nullptr), weft_ok);
  });
}

}  // namespace
}  // namespace weft::testing
