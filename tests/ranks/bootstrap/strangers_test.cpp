// Who calls the root's door while a job starts: port scanners, the mute, the garrulous, ranks of
// another job. The job starts all the same, and the root has counted them.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <atomic>
#include <deque>
#include <numeric>

#include "bootstrap/invitation.hpp"
#include "ranks.hpp"

namespace weft::bootstrap::test {
namespace {

Fd connect_to(const Address& address) {
  Fd socket(::socket(address.ip.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage name;
  const socklen_t length = address.to_sockaddr(name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0) return Fd();
  return socket;
}

void say(const Fd& socket, const std::string& bytes) {
  (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string hear(const Fd& socket, std::size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = ::recv(socket.get(), bytes.data(), count, MSG_WAITALL);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// A rank of another job: all is right but the secret.
void greet_with(const Fd& socket, const Secret& secret) {
  const auto nonce = read_challenge(hear(socket, challenge_bytes));
  if (nonce) say(socket, make_hello(secret, *nonce, random_nonce(), {.rank = 1, .ranks = 4}));
}

// The job's ranks come while the strangers are there; returns the root's counters.
Counters start_job(const UniqueId& id, u32 ranks) {
  Counters of_root;
  const auto invitation = decode(id);
  std::atomic<bool> ok = true;
  const auto errors = as_threads(ranks, [&](u32 rank) -> Status {
    Rendezvous rendezvous{invitation->secret, invitation->root.addresses(), false, {}};
    if (rank == 0)
      rendezvous.listener = take_held_listener(id, rank);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    WEFT_ASSIGN(const auto job, TreeBootstrap::join(std::move(rendezvous), rank, ranks, soon()));
    WEFT_TRY(job->exchange(std::to_string(rank), soon()));
    if (rank == 0) of_root = job->counters();
    return {};
  });
  EXPECT_EQ(errors, all_well(ranks));
  return of_root;
}

TEST(Strangers, AreTurnedAwayAndCountedWhileTheJobStarts) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const Address root = decode(*id)->root.addresses().front();
  std::vector<Fd> kept;
  for (int i = 0; i < 8; ++i) kept.push_back(connect_to(root));  // mute
  for (int i = 0; i < 8; ++i) connect_to(root);                  // gone at once
  for (int i = 0; i < 8; ++i) {                                  // garbage, short and long
    kept.push_back(connect_to(root));
    say(kept.back(), std::string(i % 2 ? 100000 : 3, "GET / HTTP/1.1"[i]));
  }
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] { greet_with(connect_to(root), Secret::random()); });
  const Counters counters = start_job(*id, 4);
  for (std::thread& other : others) other.join();
  // Those gone at once and the long garbage are known for strangers; the mute still have time.
  EXPECT_GE(counters.strangers, 8u + 4u);
  EXPECT_EQ(counters.links_peak, 2u);
}

TEST(Strangers, MoreThanTheDoorHoldsDelayTheJobButDoNotStopIt) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const Address root = decode(*id)->root.addresses().front();
  std::vector<Fd> mute;
  for (std::size_t i = 0; i < Door::most_waiting + 40; ++i) {
    mute.push_back(connect_to(root));
    ASSERT_TRUE(mute.back());
  }
  const Counters counters = start_job(*id, 3);
  EXPECT_EQ(counters.waiting_peak, Door::most_waiting);
  EXPECT_GT(counters.strangers, 0u);
}

TEST(Strangers, WhoDripsBytesIsCutOffLikeTheMute) {
  Counters counters;
  const Secret secret = Secret::random();
  auto held = Listener::open({0});
  const Address at = held->contact().addresses().front();
  Door door(std::move(*held), secret, counters, std::chrono::milliseconds(300));
  const Fd slow = connect_to(at);
  for (std::size_t said = 0; counters.strangers == 0 && said < hello_bytes - 1; ++said) {
    say(slow, "x");
    EXPECT_TRUE(door.serve().empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(counters.strangers, 1u);
}

TEST(Strangers, AHelloHeardElsewhereOrBeforeProvesNothing) {
  const Secret secret = Secret::random();
  Counters counters;
  auto held = Listener::open({0});
  const Address at = held->contact().addresses().front();
  Door door(std::move(*held), secret, counters);
  const auto serve_until = [&](auto holds) {
    for (std::vector<Guest> guests; !holds(guests);) {
      for (Guest& guest : door.serve()) guests.push_back(std::move(guest));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  const Fd first = connect_to(at), second = connect_to(at);
  (void)door.serve();
  const auto nonce = read_challenge(hear(first, challenge_bytes));
  ASSERT_TRUE(nonce);
  const std::string hello = make_hello(secret, *nonce, random_nonce(), {.rank = 1, .ranks = 2});
  say(first, hello);
  serve_until([](const auto& guests) { return guests.size() == 1; });
  say(second, hello);
  serve_until([&](const auto&) { return counters.strangers == 1; });
  // And after a hello that was right, over a connection that is.
  const Fd third = connect_to(at);
  say(third, hello);
  serve_until([&](const auto&) { return counters.strangers == 2; });
}

// All kinds of them, as fast as the kernel makes connections, from before the job starts.
pid_t start_crowd(const Address& at, u32 connections) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  sockaddr_storage name;
  const socklen_t length = at.to_sockaddr(name);
  std::deque<Fd> kept;
  for (u32 i = 0; i < connections; ++i) {
    Fd socket(::socket(at.ip.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    if (!socket) break;
    (void)!::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length);
    if (i % 4 == 0) say(socket, std::string(i % 8 ? 3 : 5000, 'x'));  // garbage
    if (i % 4 != 1) kept.push_back(std::move(socket));                // or gone at once
    if (kept.size() == 600) kept.pop_front();
    if (i % 16 == 0) say(kept.front(), "x");  // a slow one goes on
  }
  ::_exit(0);
}

TEST(Strangers, TenThousandConnectionsDelayTheJobButDoNotStopIt) {
  const auto id = create_unique_id();
  ASSERT_TRUE(id);
  const pid_t crowd = start_crowd(decode(*id)->root.addresses().front(), 10'000);
  const TimePoint begin = Clock::now();
  const Counters counters = start_job(*id, 4);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(60));
  EXPECT_LE(counters.waiting_peak, Door::most_waiting);
  EXPECT_GT(counters.strangers, 0u);
  int status = 0;
  ::waitpid(crowd, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Strangers, ATalkerInPlaceOfTheRootIsRecognised) {
  // The id names a port where another program listens.
  Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage name;
  const Address any{{.bytes = {127, 0, 0, 1}}, 0};
  socklen_t length = any.to_sockaddr(name);
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&name), length), 0);
  ASSERT_EQ(::listen(listening.get(), 16), 0);
  ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&name), &length);
  const Contact there{Address::of(name).port, {any.ip}};
  std::atomic<bool> over = false;
  std::thread talker([&] {
    while (!over) {
      const Fd caller(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
      say(caller, "220 mail.example.com ESMTP ready, and a line long enough to be read");
    }
  });
  const auto refused = join(encode({Secret::random(), there, true}), 1, 2, soon());
  over = true;
  connect_to({any.ip, there.port});
  talker.join();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, testing::HasSubstr("another program listens there"));
}

TEST(Strangers, AMuteInPlaceOfTheRootEndsAtTheDeadlineWithItsAddress) {
  const auto held = Listener::open({0});
  ASSERT_TRUE(held);
  const auto refused = join(encode({Secret::random(), held->contact(), true}), 1, 2,
                            Deadline::after(std::chrono::milliseconds(300)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::timed_out);
  EXPECT_THAT(refused.error().text,
              testing::AllOf(testing::HasSubstr(held->contact().addresses().front().text()),
                             testing::HasSubstr("has not spoken")));
}

}  // namespace
}  // namespace weft::bootstrap::test
