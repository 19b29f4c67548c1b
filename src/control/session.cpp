#include "control/session.hpp"

#include "bootstrap/wire.hpp"

namespace weft::control {
namespace {

using bootstrap::as_bytes;
using bootstrap::Reader;
using bootstrap::Writer;

constexpr std::string_view protocol = "WCTL\1";  // the digit is the version

std::string transcript(std::string_view label, const Nonce& acceptor, std::string_view rest) {
  return Writer().bytes(label).bytes(acceptor).bytes(rest).get();
}

std::string answered(const Nonce& acceptor, const Nonce& caller, Welcome answer) {
  return transcript("control answer", acceptor, Writer().bytes(caller).number(u8(answer)).get());
}

}  // namespace

std::string make_challenge(const Nonce& acceptor) {
  return bootstrap::make_challenge(acceptor, protocol);
}

std::optional<Nonce> read_challenge(std::string_view bytes) {
  return bootstrap::read_challenge(bytes.substr(0, challenge_bytes), protocol);
}

std::string make_hello(const Secret& key, const Nonce& acceptor, const Hello& hello) {
  Writer body;
  body.number(hello.job).number(hello.from).number(hello.to).bytes(hello.nonce);
  const auto mac = key.mac(as_bytes(transcript("control hello", acceptor, body.get())));
  return body.bytes(mac).get();
}

Hello read_hello(std::string_view bytes) {
  Reader reader(bytes);
  Hello hello;
  hello.job = reader.number<u64>();
  hello.from = reader.number<u32>();
  hello.to = reader.number<u32>();
  hello.nonce = reader.array<Nonce>();
  return hello;
}

bool proves(const Secret& key, const Nonce& acceptor, std::string_view hello) {
  const std::size_t body = hello_bytes - sizeof(Secret::Mac);
  const auto mac = Reader(hello.substr(body)).array<Secret::Mac>();
  return key.verify(as_bytes(transcript("control hello", acceptor, hello.substr(0, body))), mac);
}

std::string make_answer(const Secret& key, const Nonce& acceptor, const Nonce& caller,
                        Welcome answer) {
  const auto mac = key.mac(as_bytes(answered(acceptor, caller, answer)));
  return Writer().number(u8(answer)).bytes(mac).get();
}

std::optional<Welcome> read_answer(const Secret& key, const Nonce& acceptor, const Nonce& caller,
                                   std::string_view bytes) {
  Reader reader(bytes);
  const auto answer = Welcome(reader.number<u8>());
  const auto mac = reader.array<Secret::Mac>();
  if (!key.verify(as_bytes(answered(acceptor, caller, answer)), mac)) return std::nullopt;
  return answer;
}

Seal::Seal(const Secret& key, std::string_view direction, const Nonce& acceptor,
           const Nonce& caller)
    : key_(key.derive(Writer().bytes(direction).bytes(acceptor).bytes(caller).get())) {}

Secret::Mac Seal::mac(std::string_view payload) const {
  return key_.mac(as_bytes(Writer().number(number_).bytes(payload).get()));
}

std::string Seal::close(std::string_view payload) {
  const Secret::Mac proof = mac(payload);
  ++number_;
  return Writer().number(u32(payload.size())).bytes(payload).bytes(proof).get();
}

std::optional<Seal::Opened> Seal::open(std::string_view bytes) {
  Reader reader(bytes);
  const u32 size = reader.number<u32>();
  if (!reader.ok()) return Opened{};
  if (size > most_frame_bytes) return std::nullopt;
  const std::string_view payload = reader.bytes(size);
  const auto proof = reader.array<Secret::Mac>();
  if (!reader.ok()) return Opened{};
  const std::string numbered = Writer().number(number_).bytes(payload).get();
  if (!key_.verify(as_bytes(numbered), proof)) return std::nullopt;
  ++number_;
  return Opened{payload, sizeof size + size + proof.size()};
}

}  // namespace weft::control
