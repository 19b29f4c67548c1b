#include "runtime/communicator.hpp"

#include <algorithm>
#include <utility>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/per_thread.hpp"

namespace weft::runtime {

using executor::Operation;

Result<Config> complete(Config config, bool has_timeout, int progress_thread) {
  if (config.node.empty()) config.node = config::text(config::node);
  if (config.algorithm.empty() && config::text(config::algorithm) != "auto")
    config.algorithm = config::text(config::algorithm);
  if (config.order.empty()) config.order = config::text(config::order);
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

Result<Request*> Communicator::take_request(const Call& call, Of of) {
  if (of == Of::user && unwaited_ == executor::max_unwaited)
    return fail(Code::invalid_argument,
                "rank {}: {} operations have not been waited for: weft_wait or weft_test some",
                rank_, unwaited_);
  if (spare_requests_.empty()) {
    spare_requests_.push_back(&requests_.emplace_back());
    spare_requests_.reserve(requests_.size());  // giving back never fails
  }
  Request& request = *spare_requests_.back();  // the last to come back is still in the cache
  spare_requests_.pop_back();
  unwaited_ += of == Of::user;
  request.taken = true;
  request.of = of;
  request.owner = this;
  request.call = call;
  request.planned = nullptr;
  request.callback = nullptr;
  request.only_plans = request.ready = false;
  request.operation.prepare(true);
  request.operation.deadline.store(0, std::memory_order_relaxed);
  request.operation.timeout_seconds.store(config_.timeout_seconds, std::memory_order_relaxed);
  return &request;
}

Status Communicator::read_recipe(const Call& call, Recipe& recipe, UserReduction& user) const {
  if (schedule::reduces(call.kind)) {
    WEFT_ASSIGN(recipe, operators_.recipe(call.op, call.type, user));
  } else {
    recipe = {.combined = call.type};
    if (call.is_staged()) recipe.before = image_of(call.type);
  }
  return {};
}

Status Communicator::may_start() const {
  if (!leaving_.load(std::memory_order_relaxed)) return {};
  return fail(Code::invalid_argument, "rank {}: the communicator was finalized", rank_);
}

void Communicator::hand_over(Request& request) {
  if (has_thread())
    thread_->submit(request);
  else
    begin(request);
}

Result<Request*> Communicator::start(const Call& call, Of of) {
  WEFT_TRY(check(call, rank_, ranks_));
  Recipe recipe;
  UserReduction user;
  WEFT_TRY(read_recipe(call, recipe, user));
  WEFT_ASSIGN(Request* const request, take_request(call, of));
  request->follow(recipe, user);
  hand_over(*request);
  return request;
}

Result<std::unique_ptr<Persistent>> Communicator::plan(const Call& call) {
  WEFT_TRY(check(call, rank_, ranks_));
  auto persistent = std::make_unique<Persistent>(Persistent{.owner = this, .call = call});
  WEFT_TRY(read_recipe(call, persistent->recipe, persistent->user));
  WEFT_ASSIGN(Request* const request, take_request(call, Of::library));
  request->follow(persistent->recipe, persistent->user);
  request->only_plans = true;
  hand_over(*request);
  wait(std::span(&request, 1));
  persistent->planned = std::exchange(request->planned, nullptr);
  WEFT_TRY(finish(*request));
  return persistent;
}

static Status not_running(const Persistent& persistent) {
  if (!persistent.running) return {};
  return fail(Code::invalid_argument,
              "the operation is still running: weft_wait or weft_test its request first");
}

Result<Request*> Communicator::start(Persistent& persistent) {
  WEFT_TRY(may_start());
  WEFT_TRY(not_running(persistent));
  WEFT_ASSIGN(Request* const request, take_request(persistent.call, Of::user));
  request->follow(persistent.recipe, persistent.user);
  request->planned = persistent.planned;
  request->persistent = &persistent;
  persistent.planned->users.fetch_add(1, std::memory_order_relaxed);
  persistent.running = request;
  hand_over(*request);
  return request;
}

Status Communicator::release(Persistent& persistent) {
  WEFT_TRY(not_running(persistent));
  persistent.planned->users.fetch_sub(1, std::memory_order_release);
  return {};
}

void Communicator::set_deadline(Request& request, double seconds) {
  request.operation.timeout_seconds.store(seconds);
  request.operation.deadline.store(in_seconds(seconds).at.time_since_epoch().count(),
                                   std::memory_order_relaxed);
  if (has_thread()) thread_->wake();
}

void Communicator::begin(Request& request) {
  Status status;
  try {
    status = try_begin(request);
  } catch (const std::exception& error) {
    status = fail(Code::system_error, "rank {}: no memory to plan {}: {}", rank_,
                  describe(sign(request.call)), error.what());
  }
  if (status) return;
  // All ranks come to the same end of a choice; anything else is this rank's own trouble, and the
  // others wait.
  if (status.error().code != Code::unsupported) {
    engine_->fail(status.error());
    engine_->poll();
  }
  request.operation.conclude(&status.error());
}

Status Communicator::try_begin(Request& request) {
  const Call& call = request.call;
  Operation& operation = request.operation;
  if (!request.planned) {
    WEFT_ASSIGN(request.planned, planner_->plan(call, request.recipe));
    request.planned->users.fetch_add(1, std::memory_order_relaxed);
  }
  if (request.only_plans) {
    operation.conclude(nullptr);
    return {};
  }
  const Recipe& recipe = request.recipe;
  operation.plan = request.planned->plan.get();
  operation.signature = sign(call);
  operation.reduce = recipe.reduce;
  operation.before = recipe.before;
  operation.scale = recipe.scale;
  operation.after = recipe.after;
  operation.element_bytes = u32(bytes_of(recipe.combined));
  operation.user_element_bytes = u32(bytes_of(call.type));
  bind(request);
  request.ready = true;
  engine_->start(operation);
  return {};
}

void Communicator::bind(Request& request) {
  const Call& call = request.call;
  Operation& operation = request.operation;
  const u64 window = call.uneven ? 0 : u64{rank_} * call.count * operation.user_element_bytes;
  const auto* input = static_cast<const std::byte*>(call.input);
  auto* output = static_cast<std::byte*>(call.output);
  if (call.kind == schedule::Kind::barrier) input = output = token_;
  const Places places = places_of(call.kind);
  operation.input = places.whole_input ? input : as_vector(input, window);
  operation.output = places.whole_output ? output : as_vector(output, window);
  if (call.kind != schedule::Kind::barrier) share(call, operation);
}

// Peers of the node read in place what they can map.
void Communicator::share(const Call& call, Operation& operation) {
  const u64 in = input_elements(call, rank_, ranks_) * operation.user_element_bytes;
  const u64 out = output_elements(call, rank_, ranks_) * operation.user_element_bytes;
  operation.shared = {};
  // After an error nothing will be sent, and peers may still read what they were lent: what the
  // caller has freed since must not be withdrawn under them.
  if (std::max(in, out) < executor::least_mapped_bytes || engine_->error() != Code::ok) return;
  if (reads(call, rank_))
    operation.shared[schedule::input] = shared_->find(call.input, in, operation.input);
  if (writes(call, rank_))
    operation.shared[schedule::output] = shared_->find(call.output, out, operation.output);
}

Status Communicator::finish(Request& request) {
  Operation& operation = request.operation;
  WEFT_ASSERT(operation.done());
  Status status;
  if (operation.state.load() == Operation::State::failed) status = fail(std::move(operation.error));
  if (Planner::Entry* const planned = std::exchange(request.planned, nullptr))
    planned->users.fetch_sub(1, std::memory_order_release);
  if (Persistent* const persistent = std::exchange(request.persistent, nullptr))
    persistent->running = nullptr;
  request.recipe.made.reset();
  unwaited_ -= request.of == Of::user;
  request.taken = false;
  spare_requests_.push_back(&request);
  return status;
}

void Communicator::poll(Request& request) {
  if (is_driven_elsewhere() || request.operation.done()) return;
  take_over();
  engine_->poll();
  // A test is not a wait, so it may be called at long intervals: look at the clock each time.
  if (!request.operation.done()) engine_->expire(Clock::now());
}

// What a progress thread left in its queue when the process began to end.
void Communicator::take_over() {
  if (thread_) thread_->begin_queued();
}

void Communicator::wait(std::span<Request* const> requests) {
  wait(requests, [](const Communicator& owner) { return owner.is_driven_elsewhere(); });
}

template <class Elsewhere>
void Communicator::wait(std::span<Request* const> requests, Elsewhere elsewhere) {
  if (requests.size() == 1 && !elsewhere(*requests[0]->owner)) {  // the common case, kept short
    Communicator& owner = *requests[0]->owner;
    owner.take_over();
    executor::Engine* const engine = owner.engine_.get();
    const Operation& operation = requests[0]->operation;
    if (!operation.done())
      drive(std::span(&engine, 1), *owner.waiter_, [&] { return operation.done(); });
    return;
  }
  auto& engines = per_thread<std::vector<executor::Engine*>>();
  engines.clear();
  Communicator* driver = nullptr;
  for (Request* request : requests) {
    if (elsewhere(*request->owner)) continue;
    driver = request->owner;
    driver->take_over();
    executor::Engine* const engine = driver->engine_.get();
    if (std::find(engines.begin(), engines.end(), engine) == engines.end())
      engines.push_back(engine);
  }
  if (driver)
    drive(engines, *driver->waiter_, [&] {
      return std::all_of(requests.begin(), requests.end(),
                         [&](Request* r) { return r->operation.done() || elsewhere(*r->owner); });
    });
  for (Request* request : requests)
    request->operation.state.wait(Operation::State::running, std::memory_order_acquire);
}

std::optional<Error> Communicator::error() const {
  if (engine_->error() != Code::ok)
    return engine_->poison();  // written before the code, and never changed
  return engine_->verdict();
}

// Here at once; the others hear it from the control thread, also while this rank computes.
void Communicator::abort() {
  const Error error{Code::aborted, fmt::format("rank {} called weft_comm_abort", rank_)};
  engine_->condemn(error);
  if (oversight_) oversight_->report(control::Evidence::certain, error);
}

Duration Communicator::consult(const Error& error, u32 origin, u64 call) {
  return oversight_ ? oversight_->consult(error, origin, call) : Duration::zero();
}

// The job as a communicator of these ranks sees it.
std::optional<Oversight::Job> Communicator::job_of(const std::vector<u32>& ranks) const {
  if (!oversight_) return std::nullopt;
  Oversight::Job job{oversight_->job().plan, {}};
  for (const u32 rank : ranks) job.members.push_back(oversight_->job().members[rank]);
  return job;
}

Result<std::string> Communicator::explain(const Call& call) const {
  Recipe recipe;
  UserReduction user;
  WEFT_TRY(read_recipe(call, recipe, user));
  return planner_->explain(call, recipe);
}

// ---- leaving

Status Communicator::finalize(std::span<Communicator* const> communicators) {
  const auto by_thread = [](const Communicator& owner) { return owner.has_thread(); };
  std::vector<Request*> all;
  for (Communicator* communicator : communicators)
    for (Request& request : communicator->requests_)
      if (request.taken) all.push_back(&request);
  wait(all, by_thread);
  // Everybody has come when this has ended; each communicator's own timeout holds.
  std::vector<Request*> barriers;
  Status status;
  for (Communicator* communicator : communicators) {
    auto barrier = communicator->start(
        {.kind = schedule::Kind::barrier, .count = 1, .type = DataType::uint8}, Of::library);
    if (barrier)
      barriers.push_back(*barrier);
    else if (status)
      status = fail(std::move(barrier).error());
  }
  wait(barriers, by_thread);
  for (Request* barrier : barriers)
    if (Status ended = barrier->owner->finish(*barrier); status && !ended)
      status = std::move(ended);
  if (Status closed = close(communicators); status && !closed) status = std::move(closed);
  return status;
}

Status Communicator::close(std::span<Communicator* const> communicators) {
  std::vector<executor::Engine*> engines;
  for (Communicator* communicator : communicators) {
    communicator->thread_.reset();
    engines.push_back(communicator->engine_.get());
    if (engines.back()->is_condemned()) engines.back()->poll();  // peers are told that first
  }
  if (engines.empty()) return {};
  // Long enough for a peer that is late, short enough for one that will never come; after an error
  // peers are only given the time to hear of it.
  const auto patience = [](const executor::Engine& e) {
    return e.poison() ? std::chrono::seconds(1) : std::chrono::seconds(10);
  };
  const TimePoint begin = Clock::now();
  const auto waits = [&](executor::Engine* e) {
    return !e->all_left() && Clock::now() - begin < patience(*e);
  };
  for (executor::Engine* engine : engines) engine->say_bye();
  executor::Waiter waiter(communicators[0]->crowded_);
  drive(engines, waiter, [&] { return std::none_of(engines.begin(), engines.end(), waits); });
  for (Communicator* communicator : communicators)
    if (communicator->oversight_ && communicator->engine_->all_left())
      communicator->oversight_->leave();
  for (Communicator* communicator : communicators)
    if (executor::Engine& engine = *communicator->engine_; !engine.poison() && !engine.all_left())
      return fail(
          Code::timed_out,
          "rank {}: {} did not leave the communicator within 10 s: all ranks must destroy or "
          "finalize it, and one thread with several ranks must do so in a group",
          communicator->rank_, engine.fabric().describe_present());
  return {};
}

Communicator::~Communicator() {
  thread_.reset();
  write_trace();
  oversight_.reset();
  engine_.reset();  // plans must outlive it
}

}  // namespace weft::runtime
