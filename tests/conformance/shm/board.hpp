// Ranks as forked processes: where they read each other's addresses and count themselves, in
// memory that fork shares.
//
// Lifetime: the parent's Board outlives its children. Threads: atomics.
#pragma once
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "intranode/shm/shm.hpp"

namespace weft::shm::test {

// It ends a hang and decides nothing else.
inline Deadline hang() { return Deadline::after(std::chrono::seconds(60)); }

struct Board {
  static constexpr u32 most_ranks = 8;
  struct Place {
    char address[512];
    std::atomic<bool> is_there;
  };
  Place places[most_ranks];
  std::atomic<u32> connected, done;

  static Board* make() {
    void* at =
        ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    WEFT_ASSERT(at != MAP_FAILED);
    return new (at) Board();
  }
  void publish(u32 rank, const std::string& address) {
    std::memcpy(places[rank].address, address.c_str(), address.size() + 1);
    places[rank].is_there = true;
  }
  std::string address_of(u32 rank) const {
    while (!places[rank].is_there) std::this_thread::yield();
    return places[rank].address;
  }
};

// Runs `body` in a child, whose exit status is what it returns.
inline pid_t fork_rank(const std::function<int()>& body) {
  const pid_t child = ::fork();
  WEFT_ASSERT(child >= 0);
  if (child == 0) ::_exit(body());
  return child;
}

inline int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) WEFT_ASSERT(errno == EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace weft::shm::test
