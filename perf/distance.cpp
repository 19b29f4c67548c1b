#include "perf/distance.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "perf/host.hpp"

namespace weft::perf {
namespace {

constexpr std::uint32_t batches = 41, trips = 8;  // 328 round trips; a batch is timed as one
constexpr std::uint32_t stride = 512;             // numbers of one generation, more than trips
static_assert(stride > batches * trips);
constexpr double patience_ns = 1e9;

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Two lines apart, since processors fetch pairs of lines.
struct alignas(128) Line {
  std::atomic<std::uint32_t> value;
};

// False when the other side does not come: it died, or its core is taken.
bool await(const Line& line, std::uint32_t value, bool naps = false) {
  const double begun = now_ns();
  for (std::uint32_t looks = 1; line.value.load(std::memory_order_acquire) != value; ++looks) {
    if (naps) usleep(50);
    if ((naps || looks % 4096 == 0) && now_ns() - begun > patience_ns) return false;
  }
  return true;
}

// Holds the calling thread on one core while it lives.
class Held {
 public:
  explicit Held(int cpu) {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

// A core of this process, its present one if that is not `other`; -1: it may use no other core.
int core_beside(int other) {
  const int here = sched_getcpu();
  if (here != other) return here;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (cpu != other && CPU_ISSET(cpu, &allowed)) return cpu;
  return -1;
}

}  // namespace

// Each line carries numbers of the generation, so nothing is ever reset.
struct Distance::Page {
  Line first_core;  // the core of the first process
  Line offered;     // the generation whose first_core that is
  Line accepted;    // answers it, plus one if there is no second core
  Line ping, pong, done;
};

void Distance::Unmap::operator()(Page* page) const { munmap(page, sizeof(Page)); }

Result<Distance> Distance::create(const Processes& processes) {
  struct Place {
    std::uint64_t host = 0;
    char name[56] = "";
  };
  Distance distance(processes);
  Place mine = {.host = host_hash()};
  int file = -1;
  if (processes.rank() == 0) {
    const std::string name = fmt::format("/weft-perf-{}-{:x}", getpid(), std::uint64_t(now_ns()));
    file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 && ftruncate(file, sizeof(Page)) == 0) name.copy(mine.name, sizeof mine.name - 1);
  }
  const auto places = processes.gathered(std::span<const Place>(&mine, 1));
  if (!places) return tl::unexpected(places.error());
  const Place& first = places->front();
  const std::size_t index = std::count_if(places->begin(), places->begin() + processes.rank(),
                                          [&](const Place& p) { return p.host == first.host; });
  if (mine.host == first.host)
    distance.part_ = index == 0 ? Part::ping : index == 1 ? Part::pong : Part::naps;
  if (distance.part_ != Part::elsewhere && file < 0 && *first.name)
    file = shm_open(first.name, O_RDWR | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0) memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (memory != MAP_FAILED) distance.page_.reset(static_cast<Page*>(memory));
  // All of the host have the page, or nobody plays.
  const bool is_ready = distance.page_ || distance.part_ == Part::elsewhere;
  const auto ready = processes.reduced(is_ready ? 1 : 0, weft_min);
  if (processes.rank() == 0 && *first.name) shm_unlink(first.name);
  if (!ready) return tl::unexpected(ready.error());
  const auto here = std::ranges::count(*places, first.host, &Place::host);
  if (*ready == 0 || here < 2) {
    distance.page_.reset();
    distance.part_ = Part::elsewhere;
  }
  return distance;
}

Result<double> Distance::measure() {
  PERF_TRY(processes_->barrier());
  return processes_->reduced(page_ ? play() : 0, weft_max);
}

double Distance::play() {
  generation_ += stride;
  double found = 0;
  if (part_ == Part::ping) {
    const int core = sched_getcpu();
    const Held held(core);
    found = ping(core);
    page_->done.value.store(generation_, std::memory_order_release);
  } else if (part_ == Part::pong) {
    if (await(page_->offered, generation_, true)) pong();
  } else {
    (void)await(page_->done, generation_, true);
  }
  return found;
}

double Distance::ping(int cpu) {
  Page& page = *page_;
  page.first_core.value.store(static_cast<std::uint32_t>(cpu), std::memory_order_relaxed);
  page.offered.value.store(generation_, std::memory_order_release);
  std::uint32_t answer = 0;
  const double begun = now_ns();
  while ((answer = page.accepted.value.load(std::memory_order_acquire)) - generation_ > 1) {
    sched_yield();
    if (now_ns() - begun > patience_ns) return 0;
  }
  if (answer != generation_) return 0;
  std::vector<double> times;
  std::uint32_t number = generation_;
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    const double before = now_ns();
    for (std::uint32_t trip = 0; trip < trips; ++trip) {
      page.ping.value.store(++number, std::memory_order_release);
      if (!await(page.pong, number)) return 0;
    }
    times.push_back((now_ns() - before) / (2 * trips));
  }
  std::ranges::nth_element(times, times.begin() + batches / 2);
  return times[batches / 2];
}

void Distance::pong() {
  Page& page = *page_;
  const int core =
      core_beside(static_cast<int>(page.first_core.value.load(std::memory_order_relaxed)));
  if (core < 0) {
    page.accepted.value.store(generation_ + 1, std::memory_order_release);
    return;
  }
  const Held held(core);
  page.accepted.value.store(generation_, std::memory_order_release);
  for (std::uint32_t number = generation_ + 1; number <= generation_ + batches * trips; ++number) {
    if (!await(page.ping, number)) return;
    page.pong.value.store(number, std::memory_order_release);
  }
}

}  // namespace weft::perf
