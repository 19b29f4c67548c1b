// A thread of the library's own: signals of the program are not delivered to it.
//
// Who blocks SIGTERM and waits for it by sigwait would otherwise lose it to a thread that does not.
// What a thread brings upon itself (SIGSEGV and its like) is still its own. Threads: any.
#pragma once
#include <csignal>
#include <thread>
#include <utility>

namespace weft {

// Throws std::system_error where there are too many threads.
template <class Work>
std::thread start_thread(Work work) {
  sigset_t all, before;
  ::sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
    ::sigdelset(&all, own);
  struct Restored {
    sigset_t& mask;
    ~Restored() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  };
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const Restored restored{before};
  return std::thread(std::move(work));
}

}  // namespace weft
