// Group calls: what one thread records between start and end, run together.
//
// One thread can so drive several ranks: their communicators are made, used and destroyed side by
// side. Threads: a group belongs to the thread that opened it.
#pragma once
#include <functional>
#include <vector>

#include "runtime/member.hpp"

namespace weft::runtime {

class Group {
 public:
  static Group& of_this_thread();  // empty in a child of fork()

  // Of this thread; in a child of fork() perhaps still the parent's, which of_this_thread()
  // forgets.
  static bool is_open() { return depth_ > 0; }
  void start() { ++depth_; }
  Status end();

  // May block for other ranks of this group: each runs on a thread of its own, those of one parent
  // one after the other on one thread.
  void create(const Member* parent, std::function<Status()> job) {
    creations_.push_back({parent, std::move(job)});
  }
  void add(Request* request) { requests_.push_back(request); }
  void finalize(Member* member) { finalized_.push_back(member); }
  void destroy(std::unique_ptr<Member> member) { leaving_.push_back(std::move(member)); }

 private:
  void forget();
  struct Creation {
    const Member* parent;
    std::function<Status()> job;
  };
  Status run_creations();
  Status run_requests();
  Status run_finalizations();
  Status run_destructions();

  ProcessMark process_;
  // A plain number, at a place that every call finds without asking the loader.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local int depth_;
  std::vector<Creation> creations_;
  std::vector<Request*> requests_;
  std::vector<Member*> finalized_;
  std::vector<std::unique_ptr<Member>> leaving_;
};

}  // namespace weft::runtime
