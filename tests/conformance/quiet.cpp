#include "tests/conformance/quiet.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_INTERPOSED 0
#else
#define WEFT_INTERPOSED 1
#endif

namespace {
std::atomic<weft::u64> allocations, locks, writes;

// The threads of control are beside the data path: one may be connecting just now, or beating, and
// the scribe may only now begin to wait. A thread may call before it has its name, so that only the
// answer yes is kept.
bool is_thread_of_control() {
  thread_local bool known = false;
  if (known) return true;
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  known = std::strcmp(name, "weft-control") == 0 || std::strcmp(name, "weft-scribe") == 0;
  return known;
}

void note(std::atomic<weft::u64>& calls) {
  if (!is_thread_of_control()) ++calls;
}
}  // namespace

#if WEFT_INTERPOSED
// glibc's own names for what is interposed.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* at, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

#define WEFT_INTERPOSER [[gnu::visibility("default")]]

WEFT_INTERPOSER void* malloc(std::size_t bytes) noexcept {
  note(allocations);
  return __libc_malloc(bytes);
}
WEFT_INTERPOSER void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note(allocations);
  return __libc_calloc(count, bytes);
}
WEFT_INTERPOSER void* realloc(void* at, std::size_t bytes) noexcept {
  note(allocations);
  return __libc_realloc(at, bytes);
}
WEFT_INTERPOSER void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations);
  return __libc_memalign(alignment, bytes);
}
WEFT_INTERPOSER void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations);
  return __libc_memalign(alignment, bytes);
}
WEFT_INTERPOSER int posix_memalign(void** at, std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations);
  *at = __libc_memalign(alignment, bytes);
  return *at ? 0 : ENOMEM;
}
WEFT_INTERPOSER int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  note(locks);
  static std::atomic<int (*)(pthread_mutex_t*)> next;
  if (!next)
    next = reinterpret_cast<int (*)(pthread_mutex_t*)>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  return next.load()(mutex);
}
WEFT_INTERPOSER ssize_t write(int fd, const void* bytes, std::size_t size) {
  note(writes);
  return ::syscall(SYS_write, fd, bytes, size);
}
}
#endif

namespace weft::quiet {

static Calls all_calls() { return {allocations, locks, writes}; }

const char* unavailable() {
  return WEFT_INTERPOSED ? nullptr : "a sanitizer has malloc and pthread_mutex_lock interposed";
}

Watch::Watch() : before_(all_calls()) {}
Calls Watch::calls() const {
  const Calls now = all_calls();
  return {now.allocations - before_.allocations, now.locks - before_.locks,
          now.writes - before_.writes};
}

}  // namespace weft::quiet
