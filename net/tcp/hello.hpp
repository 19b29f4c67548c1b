// How two ends of a connection prove to each other that they belong to one job.
//
//   dialer -> door    Hello: who I am, whom I want, a nonce
//   door -> dialer    Answer: a nonce, and the mac of both nonces and the hello
//   dialer -> door    Proof: the mac of the same, for the other direction
//   door -> dialer    Welcome: from here on it is data
//
// Each mac covers the other end's fresh nonce, so nothing recorded is of use later, and a label for
// its direction, so neither end can be made to answer for the other. The secret never travels.
// Threads: values.
#pragma once
#include <array>
#include <string>

#include "base/secret.hpp"
#include "net/tcp/tcp.hpp"

namespace weft::tcp {

inline constexpr u32 hello_magic = 0x54464557;  // "WEFT", and it fails between byte orders
inline constexpr u16 wire_version = 1;

using Nonce = std::array<std::byte, 32>;

struct Hello {
  u32 magic = hello_magic;
  u16 version = wire_version;
  u8 rails = 0;  // of the dialer's configuration
  u8 rail = 0;   // which of them this connection is to be
  u32 from = 0, to = 0, ranks = 0;
  u32 unused = 0;
  u64 door_id = 0;  // Contact::id of whom I want
  Nonce nonce{};
};
struct Answer {
  Nonce nonce;
  Secret::Mac mac;
};
struct Proof {
  Secret::Mac mac;
};
// Without it the dialer could take a connection for good that the door had dropped meanwhile.
struct Welcome {
  u32 magic = hello_magic;
};
static_assert(sizeof(Hello) == 64 && sizeof(Answer) == 64 && sizeof(Proof) == 32);

template <class Message>
std::span<const std::byte> bytes_of(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

// What a door knows about itself, to judge a hello by.
struct DoorPlate {
  u32 rank, ranks;
  u64 id;
  u8 rails;
};
// Empty if the hello is for this door, else what is wrong with it.
std::string objection(const Hello& hello, const DoorPlate& plate);

Nonce fresh_nonce();
Answer answer_to(const Hello& hello, const Secret& job);
bool verify(const Answer& answer, const Hello& hello, const Secret& job);
Proof proof_for(const Answer& answer, const Hello& hello, const Secret& job);
bool verify(const Proof& proof, const Answer& answer, const Hello& hello, const Secret& job);

}  // namespace weft::tcp
