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
  static Group& of_this_thread();

  bool open() const { return depth_ > 0; }
  void start() { ++depth_; }
  Status end();

  // May block for other ranks of this group: each runs on a thread of its own.
  void create(std::function<Status()> job) { creations_.push_back(std::move(job)); }
  void add(Request* request) { requests_.push_back(request); }
  void destroy(std::unique_ptr<Member> member) { leaving_.push_back(std::move(member)); }

 private:
  Status run_creations();
  Status run_requests();
  Status run_destructions();

  int depth_ = 0;
  std::vector<std::function<Status()>> creations_;
  std::vector<Request*> requests_;
  std::vector<std::unique_ptr<Member>> leaving_;
};

}  // namespace weft::runtime
