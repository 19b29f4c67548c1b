// The shared-memory transport against the suite, ranks as objects and threads of one process.
#include "tests/conformance/suite.hpp"

#include <sys/mman.h>

#include "intranode/shm/shm.hpp"
#include "intranode/shm/socket.hpp"

namespace weft::conformance {
namespace {

// What a hello from rank 0 to rank 1 looks like, without the secret that must follow.
Bytes hello() {
  Bytes packet(48);
  const u64 magic = 0x316d'6873'7466'6577;
  const u32 ranks[] = {0, 1};
  std::memcpy(packet.data(), &magic, sizeof magic);
  std::memcpy(packet.data() + 8, ranks, sizeof ranks);
  return packet;
}

// Each kind of bad manners once; two more say nothing, or nothing more, and stay.
Attack attack(const std::string& address) {
  const std::string name = address.substr(4);
  const auto knock = [&](const std::vector<Bytes>& packets, int file = -1) {
    Fd socket = shm::connect_to(name).value();
    for (const Bytes& packet : packets) shm::send_packet(socket.get(), packet, file);
    return socket;
  };
  struct Open {
    std::vector<Fd> sockets;
    Fd file;
  };
  auto open = std::make_shared<Open>();
  open->file = Fd(::memfd_create("gift", MFD_CLOEXEC));
  knock({});                                                    // leaves without a word
  knock({hello()});                                             // says hello and leaves
  open->sockets.push_back(knock({Bytes(1)}));                   // nonsense, short and long
  open->sockets.push_back(knock({Bytes(1000)}));                //
  open->sockets.push_back(knock({Bytes(48)}));                  // the size of a hello, and no hello
  open->sockets.push_back(knock({hello(), Bytes(32)}));         // a wrong proof
  open->sockets.push_back(knock({hello(), hello()}));           // no proof at all
  open->sockets.push_back(knock({hello()}, open->file.get()));  // brings a file
  const u64 counted = 8;
  open->sockets.push_back(knock({}));
  return {.strangers = counted, .hold = open};
}

Kind shm_kind() {
  Kind kind;
  kind.name = "shm";
  kind.make = [](const Secret& job, u32 rank, u32 ranks) { return shm::create(job, rank, ranks); };
  kind.maps = true;
  kind.registers = false;
  kind.attack = attack;
  return kind;
}

INSTANTIATE_TEST_SUITE_P(Shm, Conformance, testing::Values(shm_kind()), name_of_kind);

TEST(Shm, ForeignMemoryIsRefusedInWords) {
  auto transport = shm::create(Secret::random(), 0, 1).value();
  Bytes mine(100);
  const auto refused = transport->register_memory(mine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unsupported);
  EXPECT_NE(refused.error().text.find("allocate"), std::string::npos) << refused.error().text;
}

}  // namespace
}  // namespace weft::conformance
