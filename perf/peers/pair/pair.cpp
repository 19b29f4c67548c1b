#include "perf/peers/pair/pair.hpp"

#include <fmt/format.h>
#include <hwy/cache_control.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace weft::perf::pair {
namespace {

constexpr std::size_t page = 4096;
constexpr std::chrono::minutes patience{1};

// Zeroed memory that the other rank can map; the descriptor keeps the pages.
struct Fresh {
  explicit Fresh(std::size_t bytes) : file(memfd_create("weft-perf-pair", MFD_CLOEXEC)) {
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
      throw std::runtime_error(fmt::format("no {} bytes of shared memory", bytes));
    memory = mmap(nullptr, page, PROT_READ, MAP_SHARED, file, 0);
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  ~Fresh() {
    if (memory != MAP_FAILED) munmap(memory, page);
    close(file);
  }
  int file;
  void* memory = MAP_FAILED;
};

}  // namespace

void Counter::spin(std::uint64_t value) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun{};
  for (std::uint32_t looks = 1; value_.load(std::memory_order_acquire) < value; ++looks) {
    hwy::Pause();
    if (looks % (1u << 16)) continue;  // the clock is read seldom
    if (begun == Clock::time_point{}) begun = Clock::now();
    if (Clock::now() - begun > patience)
      throw std::runtime_error("the other rank did not come within a minute");
  }
}

Pair::Pair(const PeerJob& job, std::size_t room_bytes) : comm_(job.comm), rank_(job.rank) {
  if (job.ranks != 2)
    throw std::runtime_error(fmt::format("is for 2 ranks of one host, not for {}", job.ranks));
  const std::size_t bytes = 2 * counters * sizeof(Counter) + room_bytes;
  const Fresh fresh(bytes);  // only rank 0's is used
  memory_ = Mapped(exchanged(origin_of(fresh.memory)).of[0], bytes);
  (void)exchanged(0);  // until both have mapped it
}

std::byte* Pair::room() const { return memory_.begin() + 2 * counters * sizeof(Counter); }

void Pair::exchange(const void* mine, void* both, std::size_t bytes) const {
  if (weft_all_gather(mine, both, bytes, weft_uint8, comm_, nullptr) != weft_ok)
    throw std::runtime_error(fmt::format("exchanging addresses: {}", weft_last_error()));
}

SharedBuffers::SharedBuffers(const Pair& pair, const PeerBuffers& own) : own_(own) {
  struct Origins {
    Origin send, receive;
  };
  const auto both = pair.exchanged(Origins{origin_of(own.send), origin_of(own.receive)});
  const Origins& other = both.of[1 - pair.rank()];
  if (other.send.file < 0 || other.receive.file < 0)
    throw std::runtime_error(
        "reads and writes the other rank's buffers: run it with "
        "--buffers shared");
  send_ = Mapped(other.send, own.bytes);
  receive_ = Mapped(other.receive, own.bytes);
}

std::byte* SharedBuffers::counterpart(const std::byte* own) const {
  const auto* const send = static_cast<const std::byte*>(own_.send);
  const auto* const receive = static_cast<const std::byte*>(own_.receive);
  if (own >= send && own <= send + own_.bytes) return send_.begin() + (own - send);
  return receive_.begin() + (own - receive);
}

}  // namespace weft::perf::pair
