#include "runtime/group.hpp"

#include <map>

#include "base/per_thread.hpp"
#include "base/thread.hpp"

namespace weft::runtime {

constinit thread_local int Group::depth_ = 0;

Group& Group::of_this_thread() {
  Group& group = per_thread<Group>();
  if (!group.process_.is_here()) group.forget();
  return group;
}

// In a child of fork(): what was recorded is the parent's, and its communicators are left alone.
void Group::forget() {
  for (auto& member : leaving_) (void)member.release();
  process_ = {};
  depth_ = 0;
  creations_.clear();
  requests_.clear();
  finalized_.clear();
  leaving_.clear();
}

Status Group::end() {
  if (depth_ == 0) return fail(Code::invalid_argument, "weft_group_end without weft_group_start");
  if (--depth_ > 0) return {};
  Status first = run_creations();
  for (Status status : {run_requests(), run_finalizations(), run_destructions()})
    if (first && !status) first = std::move(status);
  return first;
}

static Status run_guarded(const std::function<Status()>& job) {
  try {
    return job();
  } catch (const std::exception& error) {
    return fail(Code::system_error, "out of resources: {}", error.what());
  }
}

Status Group::run_creations() {
  std::vector<Creation> jobs = std::exchange(creations_, {});
  std::vector<std::vector<std::function<Status()>>> queues;  // one a thread
  std::map<const Member*, std::size_t> of_parent;
  for (Creation& creation : jobs) {
    std::size_t queue = queues.size();
    if (creation.parent) queue = of_parent.try_emplace(creation.parent, queue).first->second;
    if (queue == queues.size()) queues.emplace_back();
    queues[queue].push_back(std::move(creation.job));
  }
  std::vector<Status> outcomes(queues.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto thread = [&, i] {
      for (const auto& job : queues[i])
        if (Status status = run_guarded(job); outcomes[i] && !status)
          outcomes[i] = std::move(status);
    };
    Status spawned = run_guarded([&]() -> Status {
      threads.push_back(start_thread(thread));
      return {};
    });
    if (spawned) continue;
    outcomes[i] =
        std::move(spawned);  // the other ranks of the job will hear of it by their deadline
    break;
  }
  for (std::thread& thread : threads) thread.join();
  for (Status& outcome : outcomes)
    if (!outcome) return std::move(outcome);
  return {};
}

Status Group::run_requests() {
  Communicator::wait(requests_);
  Status first;
  for (Request* request : requests_)
    if (Status status = request->owner->finish(*request); first && !status)
      first = std::move(status);
  requests_.clear();
  return first;
}

Status Group::run_finalizations() {
  const auto members = std::exchange(finalized_, {});
  return Member::finalize(members);
}

Status Group::run_destructions() {
  std::vector<Member*> all;
  for (const auto& member : leaving_) all.push_back(member.get());
  const Status status = Member::leave(all);
  leaving_.clear();
  return status;
}

}  // namespace weft::runtime
