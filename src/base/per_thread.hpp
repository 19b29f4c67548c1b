// One object a thread, that may also be used while the process ends.
//
// exit() destroys the thread's own objects before statics, whose destructors may still call: a
// plain thread_local would then be a ruin. This one is made anew, and stays. Lifetime: until the
// thread ends. Threads: each has its own.
#pragma once
#include <utility>

namespace weft {

// `Tag` tells objects of one type apart.
template <class T, class Tag = T>
T& per_thread() {
  thread_local T* object = nullptr;  // has no destructor: there to the very end
  struct Owner {
    ~Owner() { delete std::exchange(object, nullptr); }
  };
  if (!object) {
    object = new T();
    thread_local Owner owner;
    (void)&owner;
  }
  return *object;
}

}  // namespace weft
