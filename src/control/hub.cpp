#include "control/hub.hpp"

#include <fmt/ranges.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/log.hpp"
#include "base/thread.hpp"
#include "bootstrap/wire.hpp"

namespace weft::control {
namespace {

constexpr std::size_t most_guests = 64, most_finished = 256;
constexpr Duration patience_with_guests = std::chrono::seconds(5);
// No descriptor is left, say: a listener would be found ready again at once, and again.
constexpr Duration deaf_after_an_error = std::chrono::milliseconds(100);
constexpr Duration after_an_error = std::chrono::milliseconds(200);
constexpr Duration time_to_speak = std::chrono::milliseconds(50);  // of a guest in a full room
constexpr Duration to_be_told = std::chrono::milliseconds(400);
constexpr Duration to_say_goodbye = std::chrono::milliseconds(400);

std::atomic<Hub*> current{nullptr};

}  // namespace

// ---- of this process

Hub* Hub::known() {
  Hub* const hub = current.load(std::memory_order_acquire);
  return hub && hub->pid_ == ::getpid() ? hub
                                        : nullptr;  // else the parent's, whose lock may be held
}

Hub& Hub::here() {
  if (Hub* const hub = known()) return *hub;
  Hub* before = current.load(std::memory_order_acquire);
  auto* const made = new Hub;
  if (current.compare_exchange_strong(before, made, std::memory_order_acq_rel)) {
    static const int at_exit = std::atexit(+[] {
      if (Hub* const hub = known()) hub->stop();
    });
    (void)at_exit;
    return *made;
  }
  delete made;
  return *known();
}

Hub::Hub() : pid_(::getpid()), bell_(Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))) {}

Result<std::string> Hub::name() {
  const std::lock_guard lock(mutex_);
  if (!listener_) {
    name_ = draw_name("weft-control-");
    WEFT_ASSIGN(listener_, listen_at(name_));
  }
  return name_;
}

Result<std::string> Hub::contact() {
  const std::lock_guard lock(mutex_);
  if (!tcp_) {
    WEFT_ASSIGN(const auto ports, bootstrap::allowed_ports());
    WEFT_ASSIGN(tcp_, bootstrap::Listener::open(ports));
  }
  bootstrap::Writer writer;
  tcp_->contact().write(writer);
  return writer.get();
}

Status Hub::start() {
  if (thread_.joinable()) return {};
  if (!bell_) return fail_errno(errno, "making the bell of the control thread");
  status_ = StatusDoor::open(pid_);
  try {
    thread_ = start_thread([this] { run(); });
  } catch (const std::system_error& error) {
    return fail(Code::system_error,
                "starting the control thread: {}: raise the limit of threads (ulimit -u)",
                error.what());
  }
  return {};
}

void Hub::ring() { (void)!::eventfd_write(bell_.get(), 1); }

// Peers hear that the process ends, or has left before it was known to them.
void Hub::stop() {
  {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable() || std::exchange(stopping_, true)) return;
    for (auto& [id, job] : jobs_) job->exit();
    const auto said = [&] {
      return std::all_of(jobs_.begin(), jobs_.end(), [](const auto& each) {
        return each.second->is_flushed() && each.second->has_said_goodbye() &&
               each.second->is_heard(Clock::now());
      });
    };
    ring();
    stepped_.wait_for(lock, to_say_goodbye, said);
    stopping_ = true;
    ended_ = true;
  }
  ring();
  thread_.join();
  scribe_.finish();
}

// ---- communicators

Job* Hub::find(u64 job) {
  const auto at = jobs_.find(job);
  return at == jobs_.end() ? nullptr : at->second.get();
}

Status Hub::join(const JobPlan& plan, CommId comm, const Members& members, u32 rank,
                 Subject& subject) {
  const std::lock_guard lock(mutex_);
  WEFT_TRY(start());
  const TimePoint now = Clock::now();
  Job* job = find(plan.id);
  if (!job) {
    job = jobs_.emplace(plan.id, std::make_unique<Job>(plan)).first->second.get();
    job->start(now);
  }
  job->add(comm, members, rank, subject, now);
  ring();
  return {};
}

// A process that ends right after this, before it was linked to anybody, must not be missed.
void Hub::leave(u64 job, CommId comm, u32 rank) {
  std::unique_lock lock(mutex_);
  Job* of = find(job);
  if (!of) return;
  of->remove(comm, rank, Clock::now());
  ring();
  stepped_.wait_for(lock, to_say_goodbye, [&] {
    of = find(job);
    if (!of || ended_) return true;
    return of->has_said_goodbye() && of->is_flushed() && of->is_heard(Clock::now());
  });
}

void Hub::report(u64 job, const Report& report) {
  const std::lock_guard lock(mutex_);
  if (Job* const of = find(job)) of->report(report, Clock::now());
  ring();
}

u64 Hub::strangers() {
  const std::lock_guard lock(mutex_);
  return strangers_;
}

Result<Gathered> Hub::exchange(u64 job, const Contribution& part, Deadline deadline) {
  std::unique_lock lock(mutex_);
  Job* of = find(job);
  if (!of)
    return fail(Code::invalid_argument,
                "weft_comm_shrink: this rank has left the communicator, and cannot go on from it");
  of->contribute(part, Clock::now());
  ring();
  while (true) {
    if (const Gathered* const result = of->result(part.comm, part.exchange)) return *result;
    if (is_lost(of->fate(of->plan().self)))
      return fail(Code::aborted, "the other ranks have gone on without this one");
    if (deadline.passed()) return tl::unexpected(late(*of, part, lock));
    stepped_.wait_for(lock, deadline.left(std::chrono::milliseconds(100)));
    if (!(of = find(job)))
      return fail(Code::aborted, "the communicator was destroyed during weft_comm_shrink");
  }
}

// With the names of those that are missed, if the root can be asked.
Error Hub::late(Job& job, const Contribution& part, std::unique_lock<std::mutex>& lock) {
  const u64 id = job.plan().id;
  job.ask_who_lacks(part.comm, part.exchange, Clock::now());
  ring();
  const Deadline deadline = Deadline::after(to_be_told);
  const std::vector<u32>* missed = nullptr;
  while (!missed && !deadline.passed()) {
    stepped_.wait_for(lock, deadline.left(std::chrono::milliseconds(50)));
    const Job* const of = find(id);  // it may have ended meanwhile
    if (!of) break;
    missed = of->lacking(part.comm, part.exchange);
  }
  const std::string who =
      !missed || missed->empty() ? "not every rank that is left"
      : missed->size() == 1
          ? fmt::format("rank {} has not called it: not every rank", missed->front())
          : fmt::format("ranks {} have not called it: not every rank", fmt::join(*missed, ", "));
  return {Code::timed_out,
          fmt::format("weft_comm_shrink: {} was there when the deadline passed: each that is left "
                      "must call it within the timeout of the communicator (WEFT_TIMEOUT)",
                      who)};
}

// ---- the thread

void Hub::run() {
  ::pthread_setname_np(::pthread_self(), "weft-control");
  std::unique_lock lock(mutex_);
  while (!ended_) {
    TimePoint next;
    try {
      next = step(Clock::now());
    } catch (const std::exception& error) {  // no memory, say: the program may still have a use for
      next = Clock::now() + after_an_error;  // what it has
      log::warn("the control thread: {}", error.what());
    }
    stepped_.notify_all();
    sleep(lock, next);
  }
}

TimePoint Hub::step(TimePoint now) {
  if (deaf_until_ <= now) deaf_until_ = TimePoint::max();
  if (listener_) let_in(listener_, true, now);
  if (tcp_)
    for (const Fd& listener : tcp_->sockets()) let_in(listener, false, now);
  std::erase_if(guests_, [&](Guest& guest) { return step_guest(guest, now); });
  TimePoint next = deaf_until_;
  if (!guests_.empty()) next = std::min<TimePoint>(next, now + std::chrono::seconds(1));
  if (guests_.size() >= most_guests) next = std::min<TimePoint>(next, now + time_to_speak);
  if (status_) next = std::min(next, status_->step(jobs_, now));
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    next = std::min(next, at->second->step(now));
    if (!at->second->is_done(now)) {
      ++at;
      continue;
    }
    finished_.emplace_back(at->first, at->second->plan().key);
    if (finished_.size() > most_finished) finished_.pop_front();
    at = jobs_.erase(at);
  }
  return next;
}

void Hub::sleep(std::unique_lock<std::mutex>& lock, TimePoint next) {
  watch();
  for (auto& [id, job] : jobs_) scribe_.write(job->take_notes());
  lock.unlock();
  const Duration left = std::clamp<Duration>(next - Clock::now(), std::chrono::milliseconds(1),
                                             std::chrono::hours(1));
  const timespec limit{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  ::ppoll(polled_.data(), polled_.size(), &limit, nullptr);
  eventfd_t rung;
  (void)!::eventfd_read(bell_.get(), &rung);
  lock.lock();
}

void Hub::watch() {
  polled_.assign(1, {bell_.get(), POLLIN, 0});
  if (guests_.size() < most_guests && deaf_until_ == TimePoint::max()) {
    if (listener_) polled_.push_back({listener_.get(), POLLIN, 0});
    if (tcp_)
      for (const Fd& listener : tcp_->sockets()) polled_.push_back({listener.get(), POLLIN, 0});
  }
  if (status_) status_->watch(polled_);
  for (const Guest& guest : guests_) polled_.push_back(guest.stream.watched());
  for (const auto& [id, job] : jobs_) job->watch(polled_);
}

// ---- who comes to the door

// Of a full room: who has said nothing and had time to. A crowd of strangers passes quickly, and
// whoever comes behind it is let in. The first have come first.
std::vector<Hub::Guest>::iterator Hub::longest_silent(TimePoint now) {
  return std::find_if(guests_.begin(), guests_.end(), [&](const Guest& guest) {
    return guest.stream.incoming().empty() && now - guest.since >= time_to_speak;
  });
}

void Hub::let_in(const Fd& listener, bool is_local, TimePoint now) {
  while (deaf_until_ == TimePoint::max()) {
    const auto evicted = guests_.size() < most_guests ? guests_.end() : longest_silent(now);
    if (guests_.size() >= most_guests && evicted == guests_.end()) return;
    int error = 0;
    Fd socket = accept_from(listener.get(), error);
    if (!socket) {
      if (error != EAGAIN) deaf_until_ = now + deaf_after_an_error;
      return;
    }
    if (evicted != guests_.end()) {
      guests_.erase(evicted);
      ++strangers_;
    }
    if (is_local && !is_same_user(socket.get())) {
      ++strangers_;
      continue;
    }
    if (!is_local) bootstrap::make_prompt(socket.get());
    Guest guest{Stream(std::move(socket), hello_bytes), random_nonce(), now, is_local};
    guest.stream.put(make_challenge(guest.nonce));
    guests_.push_back(std::move(guest));
  }
}

// True when the guest has been dealt with. One that belongs to a job that is not here yet calls
// again.
bool Hub::step_guest(Guest& guest, TimePoint now) {
  guest.stream.move();
  const std::string_view said = guest.stream.incoming();
  if (said.size() < hello_bytes) {
    // Who holds a place in a full room for long loses it to others.
    const Duration patience =
        guests_.size() < most_guests ? patience_with_guests : std::chrono::milliseconds(500);
    if (!guest.stream.ended() && now - guest.since < patience) return false;
    ++strangers_;
    return true;
  }
  const Hello hello = read_hello(said);
  for (const auto& [id, key] : finished_)
    if (id == hello.job && proves(key, guest.nonce, said)) {
      guest.stream.put(make_answer(key, guest.nonce, hello.nonce, Welcome::left));
      guest.stream.move();
      return true;
    }
  Job* const job = find(hello.job);
  if (!job) return true;
  const JobPlan& plan = job->plan();
  if (hello.to != plan.self || hello.from >= plan.processes.size() ||
      !proves(plan.key, guest.nonce, said)) {
    ++strangers_;
    log::info("dropped a stranger at the control door");
    return true;
  }
  guest.stream.take(hello_bytes);
  const Welcome welcome = job->welcome(hello.from);
  guest.stream.put(make_answer(plan.key, guest.nonce, hello.nonce, welcome));
  guest.stream.move();
  if (welcome != Welcome::yes) return true;
  guest.stream.allow(most_frame_bytes + 64);
  job->adopt(hello.from,
             {std::move(guest.stream), Seal(plan.key, "control accepts", guest.nonce, hello.nonce),
              Seal(plan.key, "control calls", guest.nonce, hello.nonce)},
             now);
  return true;
}

}  // namespace weft::control
