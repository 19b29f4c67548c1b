#include "net/tcp/hello.hpp"

#include <algorithm>
#include <cstring>

namespace weft::tcp {
namespace {

// What a mac covers.
struct Transcript {
  char direction[16] = {};
  Hello hello;
  Nonce door_nonce;
};
static_assert(sizeof(Transcript) == 16 + 64 + 32);

Transcript transcript(const char* direction, const Hello& hello, const Nonce& door_nonce) {
  Transcript made{{}, hello, door_nonce};
  std::strncpy(made.direction, direction, sizeof made.direction - 1);
  return made;
}

Secret hello_key(const Secret& job) { return job.derive("weft tcp hello 1"); }

}  // namespace

std::string objection(const Hello& hello, const DoorPlate& plate) {
  if (hello.magic != hello_magic) return "it does not speak weft";
  if (hello.version != wire_version)
    return fmt::format("it speaks version {} and this is version {}: use one build of weft",
                       hello.version, wire_version);
  if (hello.to != plate.rank || hello.door_id != plate.id)
    return fmt::format("it looks for another endpoint (rank {})", hello.to);
  if (hello.ranks != plate.ranks || hello.from >= plate.rank)
    return fmt::format("it says to be rank {} of {}", hello.from, hello.ranks);
  if (hello.rails != plate.rails || hello.rail >= plate.rails)
    return fmt::format("it wants {} sockets and this rank {}: set WEFT_TCP_SOCKETS alike",
                       hello.rails, plate.rails);
  return {};
}

Nonce fresh_nonce() {
  Nonce nonce;
  fill_random(nonce);
  return nonce;
}

Answer answer_to(const Hello& hello, const Secret& job) {
  Answer answer;
  answer.nonce = fresh_nonce();
  answer.mac = hello_key(job).mac(bytes_of(transcript("door", hello, answer.nonce)));
  return answer;
}

bool verify(const Answer& answer, const Hello& hello, const Secret& job) {
  return hello_key(job).verify(bytes_of(transcript("door", hello, answer.nonce)), answer.mac);
}

Proof proof_for(const Answer& answer, const Hello& hello, const Secret& job) {
  return {hello_key(job).mac(bytes_of(transcript("dialer", hello, answer.nonce)))};
}

bool verify(const Proof& proof, const Answer& answer, const Hello& hello, const Secret& job) {
  return hello_key(job).verify(bytes_of(transcript("dialer", hello, answer.nonce)), proof.mac);
}

}  // namespace weft::tcp
