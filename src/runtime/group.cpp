#include "runtime/group.hpp"

#include <thread>

namespace weft::runtime {

Group& Group::of_this_thread() {
  thread_local Group group;
  return group;
}

Status Group::end() {
  if (depth_ == 0) return fail(Code::invalid_argument, "weft_group_end without weft_group_start");
  if (--depth_ > 0) return {};
  Status first = run_creations();
  for (Status status : {run_requests(), run_destructions()})
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
  const auto jobs = std::exchange(creations_, {});
  std::vector<Status> outcomes(jobs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto thread = [&, i] { outcomes[i] = run_guarded(jobs[i]); };
    Status spawned = run_guarded([&]() -> Status {
      threads.emplace_back(thread);
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

Status Group::run_destructions() {
  std::vector<Member*> all;
  for (const auto& member : leaving_) all.push_back(member.get());
  const Status status = Member::leave(all);
  leaving_.clear();
  return status;
}

}  // namespace weft::runtime
