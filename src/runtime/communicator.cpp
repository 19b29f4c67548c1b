#include "runtime/communicator.hpp"

#include <algorithm>

#include "base/config.hpp"
#include "base/log.hpp"
#include "intranode/host/reduce.hpp"

namespace weft::runtime {

using executor::Operation;

Result<Config> complete(Config config, bool has_timeout, int progress_thread) {
  if (config.node.empty()) config.node = config::text(config::node);
  if (config.algorithm.empty() && config::text(config::algorithm) != "auto")
    config.algorithm = config::text(config::algorithm);
  if (!has_timeout) { WEFT_ASSIGN(config.timeout_seconds, config::seconds(config::timeout)); }
  const std::string progress = config::text(config::progress);
  if (progress != "caller" && progress != "thread")
    return fail(Code::invalid_argument, "{}={} is not caller or thread", config::progress.name,
                progress);
  config.progress_thread = progress_thread < 0 ? progress == "thread" : progress_thread > 0;
  return config;
}

// A buffer that holds only block `rank` of the vector, as if it held all of it.
template <class T>
static T* as_vector(T* window, u64 offset_bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(window) - offset_bytes);
}

Result<Request*> Communicator::start(const Call& call) {
  WEFT_TRY(check(call, ranks_));
  for (u32 tried = 0; requests_[next_request_ % requests_.size()].taken; ++next_request_)
    if (++tried > requests_.size())
      return fail(Code::invalid_argument,
                  "rank {}: {} operations have not been waited for: weft_wait or weft_test some",
                  rank_, requests_.size());
  Request& request = requests_[next_request_++ % requests_.size()];
  request.taken = true;
  request.owner = this;
  request.call = call;
  Operation& operation = request.operation;
  operation.state.store(Operation::State::running, std::memory_order_relaxed);
  set_deadline(request, config_.timeout_seconds);
  if (thread_)
    thread_->submit(request);
  else
    begin(request);
  return &request;
}

void Communicator::set_deadline(Request& request, double seconds) {
  const auto span = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  request.operation.timeout_seconds = seconds;
  request.operation.deadline.store((Clock::now() + span).time_since_epoch().count(),
                                   std::memory_order_relaxed);
}

void Communicator::begin(Request& request) {
  const Call& call = request.call;
  Operation& operation = request.operation;
  auto plan = planner_->plan(call);
  if (!plan) {
    // Every rank of the job comes to the same end of a choice; anything else is this rank's own
    // trouble.
    if (plan.error().code != Code::unsupported) engine_->fail(plan.error());
    operation.error = plan.error();
    operation.state.store(Operation::State::failed, std::memory_order_release);
    operation.state.notify_all();
    return;
  }
  operation.plan = *plan;
  operation.element_bytes = u32(bytes_of(call.type));
  operation.signature = sign(call);
  operation.reduce = host::reduce_function(call.type, call.op);
  const u64 window = u64{rank_} * call.count * operation.element_bytes;
  const auto* input = static_cast<const std::byte*>(call.input);
  auto* output = static_cast<std::byte*>(call.output);
  if (call.kind == schedule::Kind::barrier) input = output = token_, operation.element_bytes = 1;
  operation.input = call.kind == schedule::Kind::all_gather ? as_vector(input, window) : input;
  operation.output =
      call.kind == schedule::Kind::reduce_scatter ? as_vector(output, window) : output;
  engine_->start(operation);
}

Status Communicator::finish(Request& request) {
  Operation& operation = request.operation;
  WEFT_ASSERT(operation.done());
  Status status;
  if (operation.state.load() == Operation::State::failed) {
    int healthy = 0;
    first_error_.compare_exchange_strong(healthy, int(operation.error.code));
    status = fail(std::move(operation.error));
  }
  request.taken = false;
  return status;
}

Code Communicator::error() const { return Code(first_error_.load()); }

void Communicator::poll(Request& request) {
  if (thread_ || request.operation.done()) return;
  engine_->poll();
  // A test is not a wait, so it may be called at long intervals: look at the clock each time.
  if (!request.operation.done()) engine_->expire(Clock::now());
}

void Communicator::wait(std::span<Request* const> requests) {
  thread_local std::vector<executor::Engine*> engines;
  engines.clear();
  Communicator* driver = nullptr;
  for (Request* request : requests) {
    if (request->owner->thread_) continue;
    driver = request->owner;
    executor::Engine* const engine = driver->engine_.get();
    if (std::find(engines.begin(), engines.end(), engine) == engines.end())
      engines.push_back(engine);
  }
  if (driver)
    drive(engines, *driver->waiter_, [&] {
      return std::all_of(requests.begin(), requests.end(),
                         [](Request* r) { return r->owner->thread_ || r->operation.done(); });
    });
  for (Request* request : requests) {
    if (!request->owner->thread_) continue;
    request->owner->thread_->wake();  // its deadline may be nearer now
    request->operation.state.wait(Operation::State::running, std::memory_order_acquire);
  }
}

Status Communicator::close(std::span<Communicator* const> communicators) {
  std::vector<executor::Engine*> engines;
  for (Communicator* communicator : communicators) {
    communicator->thread_.reset();
    engines.push_back(communicator->engine_.get());
  }
  if (engines.empty()) return {};
  // Long enough for a peer that is late, short enough for one that will never come; after an error
  // peers are only given the time to hear of it.
  const bool healthy =
      std::none_of(engines.begin(), engines.end(), [](auto* e) { return e->poison().has_value(); });
  const Deadline deadline =
      Deadline::after(healthy ? std::chrono::seconds(10) : std::chrono::seconds(1));
  for (executor::Engine* engine : engines) engine->say_bye();
  executor::Waiter waiter(communicators[0]->crowded_);
  const auto left = [&] {
    return std::all_of(engines.begin(), engines.end(), [](auto* e) { return e->all_left(); });
  };
  drive(engines, waiter, [&] { return left() || deadline.passed(); });
  for (Communicator* communicator : communicators)
    if (healthy && !communicator->engine_->all_left())
      return fail(
          Code::timed_out,
          "rank {}: {} did not destroy the communicator within 10 s: all ranks must, and one "
          "thread with several ranks must do so in a group",
          communicator->rank_, communicator->engine_->fabric().describe_present());
  return {};
}

Communicator::~Communicator() {
  thread_.reset();
  write_trace();
}

}  // namespace weft::runtime
