#include "net/fault/endpoint.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>

#include "net/fault/rate.hpp"

namespace weft::fault {

using transport::Posted;

Result<std::unique_ptr<Endpoint>> Endpoint::make(std::unique_ptr<transport::Transport> inner,
                                                 Policies policies, std::string rules) {
  std::unique_ptr<Endpoint> made(
      new Endpoint(std::move(inner), std::move(policies), std::move(rules)));
  made->timer_ = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!made->timer_) return fail_errno(errno, "fault: making a timer");
  made->either_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!made->either_) return fail_errno(errno, "fault: making an epoll descriptor");
  for (const int fd : {made->timer_.get(), made->inner_->wait_fd()}) {
    epoll_event wanted{.events = EPOLLIN, .data = {}};
    if (fd >= 0 && ::epoll_ctl(made->either_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0)
      return fail_errno(errno, "fault: watching a descriptor");
  }
  return made;
}

Status Endpoint::connect(transport::Peer peer, const std::string& address) {
  WEFT_TRY(inner_->connect(peer, address));
  if (broken_.size() <= peer) broken_.resize(peer + 1);
  return {};
}

// ---- posts

template <class Send>
Posted Endpoint::post(const Post& post, Send send) {
  if (post.peer < broken_.size() && broken_[post.peer]) return send();
  const TimePoint now = Clock::now();
  for (const auto& policy : policies_) {
    const Verdict verdict = policy->judge(post, now);
    if (verdict.goes) continue;
    held_back_ = true;
    room_at_ = verdict.when;
    return Posted::busy;
  }
  const Posted posted = send();
  if (posted == Posted::done || posted == Posted::pending)
    for (const auto& policy : policies_) policy->went(post, now);
  return posted;
}

Posted Endpoint::put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                     std::span<const transport::Piece> pieces, transport::Notice notice,
                     transport::Cookie cookie) {
  u64 bytes = notice.size();
  for (const transport::Piece& piece : pieces) bytes += piece.size();
  return post({peer, rail, bytes},
              [&] { return inner_->put(peer, rail, to, pieces, notice, cookie); });
}

Posted Endpoint::notify(transport::Peer peer, transport::Rail rail, transport::Notice notice) {
  return post({peer, rail, notice.size()}, [&] { return inner_->notify(peer, rail, notice); });
}

// ---- progress

std::size_t Endpoint::poll(transport::Sink& sink) {
  std::size_t events = 0;
  if (has_room(Clock::now())) {
    held_back_ = false;
    ++events;
  }
  sink_ = &sink;
  events += inner_->poll(*this);
  sink_ = nullptr;
  return events;
}

void Endpoint::arrived(transport::Peer from, transport::Notice notice) {
  sink_->arrived(from, notice);
}
void Endpoint::completed(transport::Peer to, transport::Cookie cookie) {
  sink_->completed(to, cookie);
}
void Endpoint::broken(transport::Peer peer, const Error& why) {
  if (broken_.size() <= peer) broken_.resize(peer + 1);
  broken_[peer] = true;
  sink_->broken(peer, why);
}

// ---- sleeping

bool Endpoint::arm() {
  if (has_room(Clock::now())) return false;
  if (held_back_) {  // the kernel takes a time that has passed meanwhile as now
    const i64 at = room_at_.time_since_epoch().count();
    const itimerspec when{
        .it_interval = {},
        .it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000}};
    WEFT_ASSERT(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0);
  }
  if (inner_->arm()) return true;
  disarm();
  return false;
}

void Endpoint::disarm() {
  const itimerspec never{};
  WEFT_ASSERT(::timerfd_settime(timer_.get(), 0, &never, nullptr) == 0);
  inner_->disarm();
}

std::string Endpoint::describe(transport::Peer peer) const {
  return fmt::format("{} (with {} by WEFT_FAULT)", inner_->describe(peer), rules_);
}

Result<std::unique_ptr<transport::Transport>> wrap(std::unique_ptr<transport::Transport> inner,
                                                   const Rules& rules) {
  if (!rules.any()) return inner;
  Endpoint::Policies policies;
  if (rules.rate) policies.push_back(std::make_unique<Rate>(rules.rate));
  WEFT_ASSIGN(auto made, Endpoint::make(std::move(inner), std::move(policies), rules.text()));
  return made;
}

}  // namespace weft::fault
