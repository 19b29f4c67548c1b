// How two ranks make sure of each other over a fresh socket: each proves that it knows the job's
// secret, which does not travel.
//
//   caller (the lower rank)  hello {from, to, nonce}
//   answerer                 answer {nonce, mac over both ranks and nonces}
//   caller                   proof {mac over the same, as caller}
//
// Lifetime: until it is over; then the socket is taken out of it. Threads: one at a time.
#pragma once
#include <array>

#include "base/clock.hpp"
#include "base/handle.hpp"
#include "base/secret.hpp"

namespace weft::shm {

struct Self {
  Secret secret;  // of this room, derived from the job's
  u32 rank = 0, ranks = 0;
};

class Introduction {
 public:
  enum class Outcome {
    pending,
    proven,
    left,      // the other end closed before it was proven
    stranger,  // it broke the protocol, or does not know the secret
  };
  static Introduction call(const Self& self, Fd socket, u32 peer);  // says hello
  static Introduction answer(const Self& self, Fd socket);

  Outcome step();  // reads what has come and answers it
  int socket() const { return socket_.get(); }
  Fd take_socket() { return std::move(socket_); }
  u32 peer() const { return peer_; }
  TimePoint since() const { return since_; }

 private:
  enum class Stage { await_hello, await_answer, await_proof, failed };
  using Nonce = std::array<std::byte, 32>;
  struct Hello;
  struct Answer;
  struct Proof;
  struct Transcript;

  Introduction(const Self& self, Fd socket, Stage stage, u32 peer)
      : self_(self), socket_(std::move(socket)), stage_(stage), peer_(peer) {}
  Outcome on_hello(std::span<const std::byte> packet);
  Outcome on_answer(std::span<const std::byte> packet);
  Outcome on_proof(std::span<const std::byte> packet);
  Transcript transcript(bool of_caller) const;
  bool send(std::span<const std::byte> packet);

  Self self_;
  Fd socket_;
  Stage stage_;
  u32 peer_;
  Nonce caller_nonce_{}, answerer_nonce_{};
  TimePoint since_ = Clock::now();
};

}  // namespace weft::shm
