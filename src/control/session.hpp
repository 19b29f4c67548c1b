// How two control processes prove to each other that they belong to one job, and seal what they
// say.
//
//   acceptor -> caller   challenge: magic, version, nonce
//   caller -> acceptor   hello: job, from, to, nonce, mac over both nonces
//   acceptor -> caller   answer: welcome or not, mac over both nonces
//
// Each direction then has a key of its own, drawn from the job's secret and both nonces, and counts
// its frames: a frame is length, payload, and a mac over number and payload. Nothing recorded can
// be said again, and nothing said elsewhere. The secret never travels. Threads: values.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/secret.hpp"
#include "bootstrap/handshake.hpp"
#include "control/message.hpp"

namespace weft::control {

using bootstrap::challenge_bytes;
using bootstrap::Nonce;
using bootstrap::random_nonce;

struct Hello {
  u64 job = 0;
  Process from = 0, to = 0;
  Nonce nonce{};
};
enum class Welcome : u8 {
  yes = 1,
  declined,  // we are well, and need no link with you
  left,      // we have destroyed our communicators
};

inline constexpr std::size_t hello_bytes = 8 + 4 + 4 + 16 + 32, answer_bytes = 1 + 32;

std::string make_challenge(const Nonce& acceptor);
std::optional<Nonce> read_challenge(std::string_view bytes);
std::string make_hello(const Secret& key, const Nonce& acceptor, const Hello& hello);
Hello read_hello(std::string_view bytes);  // says whose key proves it
bool proves(const Secret& key, const Nonce& acceptor, std::string_view hello);
std::string make_answer(const Secret& key, const Nonce& acceptor, const Nonce& caller,
                        Welcome answer);
std::optional<Welcome> read_answer(const Secret& key, const Nonce& acceptor, const Nonce& caller,
                                   std::string_view bytes);

// One direction of a link.
class Seal {
 public:
  Seal(const Secret& key, std::string_view direction, const Nonce& acceptor, const Nonce& caller);
  std::string close(std::string_view payload);  // the next frame
  // The payload of the frame that `bytes` begin with, and the bytes it takes; 0 bytes: not all is
  // there yet. Nothing: not sealed by the other end.
  struct Opened {
    std::string_view payload;
    std::size_t bytes = 0;
  };
  std::optional<Opened> open(std::string_view bytes);

 private:
  Secret::Mac mac(std::string_view payload) const;
  Secret key_;
  u64 number_ = 0;
};

}  // namespace weft::control
