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

Status Group::run_creations() {
  std::vector<Status> outcomes(creations_.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < creations_.size(); ++i)
    threads.emplace_back([&, i] { outcomes[i] = creations_[i](); });
  for (std::thread& thread : threads) thread.join();
  creations_.clear();
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
  std::vector<Communicator*> all;
  for (const auto& communicator : leaving_) all.push_back(communicator.get());
  const Status status = Communicator::close(all);
  leaving_.clear();
  return status;
}

}  // namespace weft::runtime
