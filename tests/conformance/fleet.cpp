#include <algorithm>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "tests/conformance/suite.hpp"

namespace weft::conformance {

// Long enough for a sanitizer on a busy machine: it ends a hang, it decides nothing else.
static constexpr auto hang = std::chrono::seconds(60);

void Log::arrived(Peer from, transport::Notice notice) {
  ++arrivals;
  if (on_arrived) return on_arrived(from, notice);
  notices.emplace_back(from, Bytes(notice.begin(), notice.end()));
}
void Log::completed(Peer to, transport::Cookie cookie) { completions.emplace_back(to, cookie); }
void Log::broken(Peer peer, const Error& why) { breaks.emplace_back(peer, why); }

Fleet::Fleet(const Kind& kind, u32 ranks, std::size_t bytes) : ranks_(ranks) {
  const Secret job = Secret::random();
  for (u32 rank = 0; rank < ranks; ++rank) {
    ranks_[rank].transport = kind.make(job, rank, ranks).value();
    ranks_[rank].region = ranks_[rank].transport->allocate(bytes).value();
  }
}

void Fleet::connect_all() {
  for (u32 a = 0; a < ranks(); ++a)
    for (u32 b = 0; b < ranks(); ++b) {
      if (a == b) continue;
      const Status status = ranks_[a].transport->connect(b, ranks_[b].transport->address());
      ASSERT_TRUE(status) << status.error().text;
    }
  until([&] {
    for (u32 a = 0; a < ranks(); ++a)
      for (u32 b = 0; b < ranks(); ++b)
        if (a != b && !ranks_[a].transport->connected(b)) return false;
    return true;
  });
}

std::size_t Fleet::poll_all() {
  std::size_t events = 0;
  for (Rank& rank : ranks_)
    if (rank.transport) events += rank.transport->poll(rank.log);
  return events;
}

bool Fleet::until(const std::function<bool()>& holds) {
  const Deadline deadline = Deadline::after(hang);
  while (!holds()) {
    if (poll_all() == 0) std::this_thread::yield();
    if (!deadline.passed()) continue;
    ADD_FAILURE() << "nothing more happened";
    for (u32 a = 0; a < ranks(); ++a)
      for (u32 b = 0; ranks_[a].transport && b < ranks(); ++b)
        if (a != b) ADD_FAILURE() << a << " to " << b << ": " << ranks_[a].transport->describe(b);
    return false;
  }
  return true;
}

void Fleet::poll_for_a_while() {
  for (int i = 0; i < 2000; ++i) poll_all();
}

Posted Fleet::put(u32 from, u32 to, Rail rail, u64 offset, std::span<const transport::Piece> pieces,
                  transport::Notice notice) {
  const transport::Cookie cookie = next_cookie_++;
  const RemoteAddress target{ranks_[to].region.key, offset};
  Posted posted = Posted::busy;
  until([&] {
    posted = ranks_[from].transport->put(to, rail, target, pieces, notice, cookie);
    return posted != Posted::busy;
  });
  if (posted == Posted::pending)
    until([&] {
      const auto& done = ranks_[from].log.completions;
      return std::find(done.begin(), done.end(), std::pair{Peer{to}, cookie}) != done.end();
    });
  return posted;
}

Posted Fleet::put(u32 from, u32 to, Rail rail, u64 offset, const Bytes& bytes,
                  transport::Notice notice) {
  const transport::Piece piece(bytes);
  return put(from, to, rail, offset, {&piece, 1}, notice);
}

Posted Fleet::notify(u32 from, u32 to, Rail rail, transport::Notice notice) {
  Posted posted = Posted::busy;
  until([&] {
    posted = ranks_[from].transport->notify(to, rail, notice);
    return posted != Posted::busy;
  });
  return posted;
}

Conformance::Conformance() { testing::Test::RecordProperty("transport", kind().name); }

std::string name_of_kind(const testing::TestParamInfo<Kind>& info) { return info.param.name; }

// A pattern repeats itself after so many bytes: more than any buffer's size that is a power of two
// would hide, and long stretches can be made and compared as blocks.
static constexpr std::size_t period = 255 * 256;

Bytes pattern(u64 message, std::size_t bytes) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < std::min(bytes, period); ++i)
    made[i] = static_cast<std::byte>(1 + (message * 37 + i * 7 + (i >> 8)) % 255);  // never 0
  for (std::size_t i = period; i < bytes; i += period)
    std::copy_n(made.begin(), std::min(period, bytes - i),
                made.begin() + static_cast<std::ptrdiff_t>(i));
  return made;
}

bool holds_pattern(std::span<const std::byte> memory, u64 message) {
  if (memory.empty()) return true;
  const Bytes right = pattern(message, std::min(memory.size(), period));
  if (std::memcmp(right.data(), memory.data(), right.size()) != 0) return false;
  return memory.size() <= period ||
         std::memcmp(memory.data() + period, memory.data(), memory.size() - period) == 0;
}

Bytes bytes_of(u64 number) {
  Bytes bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

u64 number_in(std::span<const std::byte> notice) {
  u64 number = 0;
  std::memcpy(&number, notice.data(), std::min(notice.size(), sizeof number));
  return number;
}

}  // namespace weft::conformance
