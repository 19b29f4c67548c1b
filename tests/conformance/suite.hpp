// What every transport must pass: the rules of transport.hpp as tests over a Kind of transport.
//
// A transport's own test file makes a Kind and says
//   INSTANTIATE_TEST_SUITE_P(Shm, Conformance, testing::Values(kind), name_of_kind);
// in namespace weft::conformance; everything else is in the files that weft_conformance compiles.
// A Fleet is all ranks of a job in this process, each with a region its peers may put into and a
// Log that keeps what the sink was told. Threads: a Fleet is one thread's; a Rank may be given to a
// thread of its own.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "base/secret.hpp"
#include "transport/transport.hpp"

namespace weft::conformance {

using transport::Peer;
using transport::Posted;
using transport::Rail;
using transport::Region;
using transport::RemoteAddress;
using transport::Transport;

using Bytes = std::vector<std::byte>;

struct Kind {
  std::string name;
  std::function<Result<std::unique_ptr<Transport>>(const Secret& job, u32 rank, u32 ranks)> make;
  bool maps = false;      // map() gives the peer's memory
  bool registers = true;  // register_memory works
  bool quiet = true;      // keeps the quiet rule (test instruments need not)
  // Behaves badly at the door of the transport at `address`, in as many ways as there are. None:
  // there is no door but connect().
  std::function<struct Attack(const std::string& address)> attack;
};

inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

struct Attack {
  u64 strangers = 0;           // to be counted in the end
  std::shared_ptr<void> hold;  // keeps what must stay open meanwhile
};

struct Log : transport::Sink {
  void arrived(Peer from, transport::Notice notice) override;
  void completed(Peer to, transport::Cookie cookie) override;
  void broken(Peer peer, const Error& why) override;

  u64 arrivals = 0;
  std::vector<std::pair<Peer, Bytes>> notices;
  std::vector<std::pair<Peer, transport::Cookie>> completions;
  std::vector<std::pair<Peer, Error>> breaks;
  std::function<void(Peer, transport::Notice)> on_arrived;  // instead of keeping the notice
};

struct Rank {
  std::unique_ptr<Transport> transport;
  Log log;
  Region region;
};

class Fleet {
 public:
  static constexpr std::size_t region_bytes = 64 << 10;

  Fleet(const Kind& kind, u32 ranks, std::size_t bytes = region_bytes);
  void connect_all();  // and polls until all are

  u32 ranks() const { return static_cast<u32>(ranks_.size()); }
  Rank& operator[](u32 rank) { return ranks_[rank]; }
  std::span<std::byte> memory(u32 rank) { return ranks_[rank].region.bytes; }
  std::size_t poll_all();
  // Polls all ranks in turn until it holds. False after a time that only a hang takes; the failure
  // is recorded with what each rank was doing.
  bool until(const std::function<bool()>& holds);
  void poll_for_a_while();  // for what must not happen

  // Posts, polling while the answer is busy, and returns once the source is free.
  Posted put(u32 from, u32 to, Rail rail, u64 offset, std::span<const transport::Piece> pieces,
             transport::Notice notice = {});
  Posted put(u32 from, u32 to, Rail rail, u64 offset, const Bytes& bytes,
             transport::Notice notice = {});
  Posted notify(u32 from, u32 to, Rail rail, transport::Notice notice);

 private:
  std::vector<Rank> ranks_;
  transport::Cookie next_cookie_ = 1;
};

class Conformance : public testing::TestWithParam<Kind> {
 protected:
  Conformance();
  const Kind& kind() const { return GetParam(); }
};

std::string name_of_kind(const testing::TestParamInfo<Kind>& info);

// Bytes that tell one message, and one place in it, from another.
Bytes pattern(u64 message, std::size_t bytes);
bool holds_pattern(std::span<const std::byte> memory, u64 message);
Bytes bytes_of(u64 number);
u64 number_in(std::span<const std::byte> notice);

}  // namespace weft::conformance
