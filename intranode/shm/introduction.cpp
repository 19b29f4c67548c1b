#include "intranode/shm/introduction.hpp"

#include <algorithm>
#include <cstring>

#include "intranode/shm/socket.hpp"

namespace weft::shm {

struct Introduction::Hello {
  static constexpr u64 right_magic = 0x316d'6873'7466'6577;  // "weftshm1"
  u64 magic = right_magic;
  u32 from = 0, to = 0;
  Nonce nonce;
};
struct Introduction::Answer {
  Nonce nonce;
  Secret::Mac mac;
};
struct Introduction::Proof {
  Secret::Mac mac;
};

// What a mac is made over: without padding, so that equal contents have equal bytes.
struct Introduction::Transcript {
  u32 of_caller, caller, answerer, ranks;
  Nonce caller_nonce, answerer_nonce;
};

namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

template <class T>
bool read(std::span<const std::byte> packet, T& value) {
  if (packet.size() != sizeof value) return false;
  std::memcpy(static_cast<void*>(&value), packet.data(), sizeof value);
  return true;
}

}  // namespace

Introduction Introduction::call(const Self& self, Fd socket, u32 peer) {
  Introduction made(self, std::move(socket), Stage::await_answer, peer);
  fill_random(made.caller_nonce_);
  const Hello hello{.from = self.rank, .to = peer, .nonce = made.caller_nonce_};
  if (!made.send(bytes_of(hello))) made.stage_ = Stage::failed;
  return made;
}

Introduction Introduction::answer(const Self& self, Fd socket) {
  return Introduction(self, std::move(socket), Stage::await_hello, self.rank);
}

Introduction::Outcome Introduction::step() {
  if (stage_ == Stage::failed) return Outcome::left;
  if (!is_same_user(socket())) return Outcome::stranger;
  for (;;) {
    std::array<std::byte, 256> buffer;
    const Received received = receive_packet(socket(), buffer);
    if (received.kind == Received::nothing) return Outcome::pending;
    if (received.kind == Received::closed) return Outcome::left;
    if (received.bytes > buffer.size() || received.file) return Outcome::stranger;
    const auto packet = std::span<const std::byte>(buffer).first(received.bytes);
    const Outcome outcome = stage_ == Stage::await_hello    ? on_hello(packet)
                            : stage_ == Stage::await_answer ? on_answer(packet)
                                                            : on_proof(packet);
    if (outcome != Outcome::pending) return outcome;
  }
}

Introduction::Outcome Introduction::on_hello(std::span<const std::byte> packet) {
  Hello hello;
  // The lower rank of a pair calls: a caller of our rank or above is not one of ours.
  if (!read(packet, hello) || hello.magic != Hello::right_magic || hello.to != self_.rank ||
      hello.from >= self_.rank)
    return Outcome::stranger;
  peer_ = hello.from;
  caller_nonce_ = hello.nonce;
  fill_random(answerer_nonce_);
  stage_ = Stage::await_proof;
  const Answer answer{answerer_nonce_, self_.secret.mac(bytes_of(transcript(false)))};
  return send(bytes_of(answer)) ? Outcome::pending : Outcome::left;
}

Introduction::Outcome Introduction::on_answer(std::span<const std::byte> packet) {
  Answer answer;
  if (!read(packet, answer)) return Outcome::stranger;
  answerer_nonce_ = answer.nonce;
  if (!self_.secret.verify(bytes_of(transcript(false)), answer.mac)) return Outcome::stranger;
  const Proof proof{self_.secret.mac(bytes_of(transcript(true)))};
  return send(bytes_of(proof)) ? Outcome::proven : Outcome::left;
}

Introduction::Outcome Introduction::on_proof(std::span<const std::byte> packet) {
  Proof proof;
  const bool right =
      read(packet, proof) && self_.secret.verify(bytes_of(transcript(true)), proof.mac);
  return right ? Outcome::proven : Outcome::stranger;
}

Introduction::Transcript Introduction::transcript(bool of_caller) const {
  const bool calling = peer_ > self_.rank;
  return {.of_caller = of_caller,
          .caller = calling ? self_.rank : peer_,
          .answerer = calling ? peer_ : self_.rank,
          .ranks = self_.ranks,
          .caller_nonce = caller_nonce_,
          .answerer_nonce = answerer_nonce_};
}

// A fresh socket has room for a packet: if not, something is wrong with the other end.
bool Introduction::send(std::span<const std::byte> packet) {
  return send_packet(socket(), packet) == Sent::whole;
}

}  // namespace weft::shm
