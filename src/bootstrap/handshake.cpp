#include "bootstrap/handshake.hpp"

#include <algorithm>

#include "bootstrap/wire.hpp"

namespace weft::bootstrap {
namespace {

// Both nonces and the direction are in every mac, so no message can be replayed or reflected.
Secret::Mac mac_of(const Secret& secret, std::string_view direction, const Nonce& acceptor,
                   const Nonce& caller, std::string_view message) {
  Writer all;
  all.bytes(direction).bytes(acceptor).bytes(caller).bytes(message);
  return secret.mac(as_bytes(all.get()));
}

bool proves(const Secret& secret, std::string_view direction, const Nonce& acceptor,
            const Nonce& caller, std::string_view message, const Secret::Mac& mac) {
  Writer all;
  all.bytes(direction).bytes(acceptor).bytes(caller).bytes(message);
  return secret.verify(as_bytes(all.get()), mac);
}

}  // namespace

Nonce random_nonce() {
  Nonce nonce;
  fill_random(nonce);
  return nonce;
}

std::string make_challenge(const Nonce& acceptor, std::string_view protocol) {
  return Writer().bytes(protocol).bytes(acceptor).get();
}

std::optional<Nonce> read_challenge(std::string_view bytes, std::string_view protocol) {
  Reader reader(bytes);
  const bool ours = reader.bytes(protocol.size()) == protocol;
  const auto nonce = reader.array<Nonce>();
  if (!ours || !reader.ended()) return std::nullopt;
  return nonce;
}

std::string make_hello(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                       const Hello& hello) {
  Writer body;
  body.number(static_cast<u8>(hello.purpose)).number(hello.rank).number(hello.ranks);
  body.bytes(hello.instance);
  hello.contact.write(body);
  const auto mac = mac_of(secret, "hello", acceptor, caller, body.get());
  return body.bytes(caller).bytes(mac).get();
}

std::optional<Proven> read_hello(const Secret& secret, const Nonce& acceptor,
                                 std::string_view bytes) {
  if (bytes.size() != hello_bytes) return std::nullopt;
  const std::size_t body_bytes = hello_bytes - sizeof(Nonce) - sizeof(Secret::Mac);
  Reader reader(bytes);
  Proven proven;
  proven.hello.purpose = static_cast<Purpose>(reader.number<u8>());
  proven.hello.rank = reader.number<u32>();
  proven.hello.ranks = reader.number<u32>();
  proven.hello.instance = reader.array<Nonce>();
  proven.hello.contact = Contact::read(reader);
  proven.caller = reader.array<Nonce>();
  const auto mac = reader.array<Secret::Mac>();
  if (!proves(secret, "hello", acceptor, proven.caller, bytes.substr(0, body_bytes), mac))
    return std::nullopt;
  return proven;
}

std::string make_answer(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                        const Answer& answer) {
  Writer body;
  body.number(static_cast<u8>(answer.error.code)).number(answer.rank).number(answer.position);
  body.bytes(answer.session);
  answer.parent.write(body);
  const std::size_t room = answer_most_bytes - body.get().size() - sizeof(Secret::Mac);
  body.bytes(std::string_view(answer.error.text).substr(0, room));
  const auto mac = mac_of(secret, "answer", acceptor, caller, body.get());
  const auto length = static_cast<u16>(body.get().size() + mac.size());
  return Writer().number(length).bytes(body.get()).bytes(mac).get();
}

std::optional<Answer> read_answer(const Secret& secret, const Nonce& acceptor, const Nonce& caller,
                                  std::string_view bytes) {
  if (bytes.size() < sizeof(Secret::Mac)) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof(Secret::Mac));
  const auto mac = Reader(bytes.substr(body.size())).array<Secret::Mac>();
  if (!proves(secret, "answer", acceptor, caller, body, mac)) return std::nullopt;
  Reader reader(body);
  Answer answer;
  answer.error.code = static_cast<Code>(reader.number<u8>());
  answer.rank = reader.number<u32>();
  answer.position = reader.number<u32>();
  answer.session = reader.array<std::array<std::byte, 32>>();
  answer.parent = Contact::read(reader);
  answer.error.text = reader.rest();
  if (!reader.ok()) return std::nullopt;
  return answer;
}

}  // namespace weft::bootstrap
