// How two processes prove to each other that they know the job's secret, without sending it.
//
//   acceptor -> caller   challenge: magic, version, nonce a
//   caller -> acceptor   hello: who calls and why, nonce c, mac over (a, hello)
//   acceptor -> caller   answer: verdict and what was asked for, mac over (c, a, answer)
//
// The acceptor speaks first, so that calling a port which some other program owns (torchrun's
// store) disturbs nobody. Challenge and hello have fixed sizes: a stranger costs 200 bytes.
// Threads: pure functions and values.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/secret.hpp"
#include "bootstrap/address.hpp"

namespace weft::bootstrap {

using Nonce = std::array<std::byte, 16>;
Nonce random_nonce();

enum class Purpose : u8 {
  look_up = 1,   // "here I am; who is my parent in the tree?", asked of the root
  adopt = 2,     // "I am your child": the connection stays
  complain = 3,  // "I cannot go on", to the root, when there is no way through the tree
};

struct Hello {
  Purpose purpose = Purpose::look_up;
  u32 rank = 0;
  u32 ranks = 0;
  Nonce instance{};  // drawn once a join: tells a second try from a second process
  Contact contact;   // where this rank's own children find it
};

struct Answer {
  Error error;                          // code ok, or why not
  u32 rank = 0;                         // adopt: of the parent
  u32 position = 0;                     // look_up: in the tree
  std::array<std::byte, 32> session{};  // look_up: makes the job's secret, with the id's
  Contact parent;                       // look_up
};

inline constexpr std::size_t challenge_bytes = 5 + sizeof(Nonce);
inline constexpr std::size_t hello_bytes =
    1 + 4 + 4 + sizeof(Nonce) + Contact::size + sizeof(Nonce) + sizeof(Secret::Mac);
inline constexpr std::size_t answer_most_bytes = 2048;  // after the two bytes of its length

// What an acceptor says first. `protocol`: five bytes, a magic word and a version; the control
// links have one of their own.
inline constexpr std::string_view rendezvous_protocol = "WEFT\1";
std::string make_challenge(const Nonce& acceptor, std::string_view protocol = rendezvous_protocol);
std::optional<Nonce> read_challenge(std::string_view bytes,
                                    std::string_view protocol = rendezvous_protocol);

std::string make_hello(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                       const Hello& hello);
struct Proven {
  Hello hello;
  Nonce caller;
};
std::optional<Proven> read_hello(const Secret& secret, const Nonce& acceptor,
                                 std::string_view bytes);

// With its length, two bytes, in front.
std::string make_answer(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                        const Answer& answer);
// Without the length. Nothing if whoever answered does not know the secret.
std::optional<Answer> read_answer(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                                  std::string_view bytes);

}  // namespace weft::bootstrap
