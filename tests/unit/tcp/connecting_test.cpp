// Finding a way to a peer: dead addresses, wrong doors, crowds of strangers, peers that die.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <thread>

#include "net/tcp/addresses.hpp"
#include "net/tcp/sockets.hpp"
#include "net/tcp/tcp.hpp"

namespace weft::tcp {
namespace {

using transport::Transport;

struct Ear : transport::Sink {
  void arrived(transport::Peer, transport::Notice) override { ++arrivals; }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer, const Error& why) override { breaks.push_back(why); }
  int arrivals = 0;
  std::vector<Error> breaks;
};

struct End {
  explicit End(const Secret& job, u32 rank, Options options = {}) {
    if (options.interfaces.empty()) options.interfaces = {"127.0.0.1"};
    transport = create({job, rank, 2}, options).value();
  }
  std::unique_ptr<Transport> transport;
  Ear ear;
};

bool poll_until(std::initializer_list<End*> ends, const std::function<bool()>& holds) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  while (!holds()) {
    for (End* end : ends) end->transport->poll(end->ear);
    std::this_thread::yield();
    if (deadline.passed()) return false;
  }
  return true;
}

// An address of this host where nobody listens.
Address nobody() {
  Address address = Address::from_host("127.0.0.1").value();
  const Fd closed_again = listen_on(&address, 0, 0).value();
  return address;
}

TEST(Connecting, ADeadAddressIsPassedOver) {
  const Secret job = Secret::random();
  End low(job, 0), high(job, 1);
  Contact contact = Contact::from_text(high.transport->address()).value();
  contact.addresses.insert(contact.addresses.begin(), {nobody(), nobody()});
  ASSERT_TRUE(low.transport->connect(1, contact.text()));
  ASSERT_TRUE(high.transport->connect(0, low.transport->address()));
  EXPECT_TRUE(poll_until({&low, &high}, [&] {
    return low.transport->connected(1) && high.transport->connected(0);
  })) << low.transport->describe(1);
}

TEST(Connecting, AnInterfaceOffersAllItsAddresses) {
  Options options;
  options.interfaces = {"lo"};
  const Secret job = Secret::random();
  End low(job, 0, options), high(job, 1, options);
  const auto here = local_addresses({"lo"}).value();
  EXPECT_EQ(Contact::from_text(high.transport->address()).value().addresses.size(), here.size());
  ASSERT_TRUE(low.transport->connect(1, high.transport->address()));
  ASSERT_TRUE(high.transport->connect(0, low.transport->address()));
  EXPECT_TRUE(poll_until({&low, &high}, [&] { return low.transport->connected(1); }));
  EXPECT_EQ(low.transport->counters().connections_opened, options.sockets);
}

TEST(Connecting, ARankThatListensElsewhereIsNotMistakenForThePeer) {
  // The first address is another endpoint of the same job and the same rank.
  const Secret job = Secret::random();
  End low(job, 0), impostor(job, 1), high(job, 1);
  Contact contact = Contact::from_text(high.transport->address()).value();
  contact.addresses.insert(contact.addresses.begin(),
                           Contact::from_text(impostor.transport->address()).value().addresses[0]);
  ASSERT_TRUE(low.transport->connect(1, contact.text()));
  for (End* end : {&high, &impostor}) {
    ASSERT_TRUE(end->transport->connect(0, low.transport->address()));
  }
  EXPECT_TRUE(poll_until({&low, &impostor, &high}, [&] {
    return low.transport->connected(1) && high.transport->connected(0);
  })) << low.transport->describe(1);
  EXPECT_FALSE(impostor.transport->connected(0));
  EXPECT_GE(impostor.transport->counters().strangers_dropped, 1u);
}

TEST(Connecting, GivingUpNamesEveryAddressAndItsReason) {
  Options options;
  options.connect_timeout = std::chrono::milliseconds(100);
  const Secret job = Secret::random();
  End low(job, 0, options);
  Contact contact{1, 1, {nobody(), nobody()}};
  // A listener that is no rank and hangs up on whoever comes.
  Address rude = Address::from_host("127.0.0.1").value();
  const Fd listener = listen_on(&rude, 0, 0).value();
  contact.addresses.push_back(rude);
  ASSERT_TRUE(low.transport->connect(1, contact.text()));
  ASSERT_TRUE(poll_until({&low}, [&] {
    const Fd guest(::accept(listener.get(), nullptr, nullptr));
    return !low.ear.breaks.empty();
  }));
  const std::string text = low.ear.breaks[0].text;
  EXPECT_EQ(low.ear.breaks[0].code, Code::timed_out);
  EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find(contact.addresses[0].text() + ": Connection refused"), std::string::npos)
      << text;
  EXPECT_NE(text.find(contact.addresses[1].text() + ": Connection refused"), std::string::npos)
      << text;
  EXPECT_NE(text.find(rude.text() + ": "), std::string::npos) << text;
  EXPECT_NE(text.find("WEFT_INTERFACE"), std::string::npos) << text;
  low.transport->poll(low.ear);
  EXPECT_EQ(low.ear.breaks.size(), 1u);
}

TEST(Connecting, DescribeTellsTheState) {
  const Secret job = Secret::random();
  End low(job, 0), high(job, 1);
  EXPECT_NE(low.transport->describe(1).find("not asked"), std::string::npos);
  ASSERT_TRUE(low.transport->connect(1, high.transport->address()));
  low.transport->poll(low.ear);
  const std::string dialing = low.transport->describe(1);
  EXPECT_NE(dialing.find("connecting to rank 1"), std::string::npos) << dialing;
  EXPECT_NE(dialing.find("127.0.0.1:"), std::string::npos) << dialing;
  ASSERT_TRUE(high.transport->connect(0, low.transport->address()));
  EXPECT_NE(high.transport->describe(0).find("0 of 2 sockets"), std::string::npos);
  ASSERT_TRUE(poll_until({&low, &high}, [&] { return low.transport->connected(1); }));
  EXPECT_NE(low.transport->describe(1).find("connected to 127.0.0.1:"), std::string::npos);
}

TEST(Connecting, ACrowdOfSilentStrangersDoesNotKeepARankOut) {
  const Secret job = Secret::random();
  End low(job, 0), high(job, 1);
  const Contact contact = Contact::from_text(high.transport->address()).value();
  std::vector<Fd> crowd;
  for (int i = 0; i < 400; ++i) {
    crowd.push_back(make_socket(contact.addresses[0]).value());
    connect_to(crowd.back().get(), contact.addresses[0]);
  }
  ASSERT_TRUE(low.transport->connect(1, high.transport->address()));
  ASSERT_TRUE(high.transport->connect(0, low.transport->address()));
  EXPECT_TRUE(poll_until(
      {&low, &high}, [&] { return low.transport->connected(1) && high.transport->connected(0); }));
  EXPECT_LE(high.transport->counters().strangers_dropped, 400u);
}

TEST(Connecting, AKilledProcessIsToldOnceWithItsAddress) {
  // The child plays rank 1 until it is killed in the middle of its sending.
  int addresses[2][2];
  ASSERT_EQ(::pipe(addresses[0]), 0);
  ASSERT_EQ(::pipe(addresses[1]), 0);
  const Secret job = Secret::random();
  const auto tell = [&](int way, const std::string& text) {
    return ::write(addresses[way][1], text.data(), text.size()) > 0;
  };
  const auto hear = [&](int way) {
    char text[512];
    const ssize_t got = ::read(addresses[way][0], text, sizeof text);
    return std::string(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    End high(job, 1);
    if (!tell(0, high.transport->address()) || !high.transport->connect(0, hear(1))) ::_exit(1);
    const std::byte notice[8] = {};
    for (;;) {
      high.transport->poll(high.ear);
      (void)high.transport->notify(0, 0, notice);
    }
  }
  End low(job, 0);
  ASSERT_TRUE(tell(1, low.transport->address()));
  ASSERT_TRUE(low.transport->connect(1, hear(0)));
  EXPECT_TRUE(poll_until({&low}, [&] { return low.ear.arrivals > 1000; }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(poll_until({&low}, [&] { return !low.ear.breaks.empty(); }));
  for (int i = 0; i < 100; ++i) low.transport->poll(low.ear);
  ASSERT_EQ(low.ear.breaks.size(), 1u);
  EXPECT_NE(low.ear.breaks[0].text.find("rank 1 (127.0.0.1:"), std::string::npos)
      << low.ear.breaks[0].text;
  for (const auto& way : addresses)
    for (const int fd : way) ::close(fd);
}

}  // namespace
}  // namespace weft::tcp
