#include "net/fault/endpoint.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <csignal>

#include "base/log.hpp"
#include "net/fault/rate.hpp"
#include "net/fault/trigger.hpp"

namespace weft::fault {

using transport::Posted;

Result<std::unique_ptr<Endpoint>> Endpoint::make(std::unique_ptr<transport::Transport> inner,
                                                 Policies policies, Seat seat) {
  std::unique_ptr<Endpoint> made(
      new Endpoint(std::move(inner), std::move(policies), std::move(seat)));
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

Endpoint::Remote& Endpoint::remote(transport::Peer peer) {
  if (remotes_.size() <= peer) remotes_.resize(peer + 1);
  return remotes_[peer];
}

Status Endpoint::connect(transport::Peer peer, const std::string& address) {
  WEFT_TRY(inner_->connect(peer, address));
  remote(peer);
  return {};
}

// ---- posts

std::optional<Message> Endpoint::message_in(transport::Notice notice, u64 put_bytes) const {
  if (seat_.look) return seat_.look(notice);
  return Message{.operation = 1, .bytes = put_bytes ? put_bytes : notice.size(), .inlined = 0};
}

// What befalls the rank or the link has been done when this returns; what befalls the message is
// the caller's to do.
Verdict Endpoint::judge(const Post& post, TimePoint now) {
  for (const auto& policy : policies_) {
    const Verdict verdict = policy->judge(post, now);
    if (!verdict.fault) continue;
    if (*verdict.fault < Kind::close) return verdict;
    strike(*policy, *verdict.fault, post.peer);
  }
  return {};
}

template <class Send, class MakeCopy>
Posted Endpoint::post(const Post& post, Send send, MakeCopy make_copy) {
  if (remote(post.peer).broken || !inner_->connected(post.peer)) return send();
  const TimePoint now = Clock::now();
  const Verdict verdict = judge(post, now);
  if (is_silent(post.peer)) return Posted::done;
  const bool late = verdict.fault == Kind::delay || detour_.is_blocked(post.peer, post.rail);
  if (verdict.fault == Kind::rate) {
    held_back_ = true;
    room_at_ = verdict.when;
    return Posted::busy;
  }
  if (late && !detour_.has_room_for(post.bytes)) return Posted::busy;  // until some have left
  Posted posted = Posted::done;
  if (late || verdict.fault == Kind::corrupt) {
    Copy copy = make_copy();
    if (verdict.fault == Kind::corrupt) copy.flip(verdict.at, *post.message);
    if (late)
      detour_.delay(post.peer, post.rail, std::move(copy), verdict.when);
    else
      posted = detour_.send(post.peer, post.rail, copy);
  } else if (verdict.fault != Kind::drop) {
    posted = send();
  }
  if (posted == Posted::done || posted == Posted::pending)
    for (const auto& policy : policies_) policy->went(post, now);
  return posted;
}

void Endpoint::strike(Policy& policy, Kind kind, transport::Peer peer) {
  policy.struck();
  log::warn("rank {}: {} strikes, at rank {} over {} (WEFT_FAULT)", seat_.rank, name_of(kind), peer,
            inner_->name());
  if (kind == Kind::kill) ::raise(SIGKILL);
  if (kind == Kind::freeze) ::raise(SIGSTOP);
  if (kind == Kind::close) inner_->cut(peer);
  if (kind == Kind::silence) remote(peer).silent = true;
}

Posted Endpoint::put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                     std::span<const transport::Piece> pieces, transport::Notice notice,
                     transport::Cookie cookie) {
  u64 bytes = 0;
  for (const transport::Piece& piece : pieces) bytes += piece.size();
  return post(
      {peer, rail, bytes + notice.size(), message_in(notice, bytes)},
      [&] { return inner_->put(peer, rail, to, pieces, notice, cookie); },
      [&] { return Copy::of_put(to, pieces, notice); });
}

Posted Endpoint::notify(transport::Peer peer, transport::Rail rail, transport::Notice notice) {
  return post(
      {peer, rail, notice.size(), message_in(notice, 0)},
      [&] { return inner_->notify(peer, rail, notice); }, [&] { return Copy::of_notice(notice); });
}

// ---- progress

std::size_t Endpoint::poll(transport::Sink& sink) {
  std::size_t events = 0;
  const TimePoint now = Clock::now();
  if (has_room(now)) {
    held_back_ = false;
    ++events;
  }
  if (!detour_.is_empty()) events += detour_.move(now);
  sink_ = &sink;
  events += inner_->poll(*this);
  sink_ = nullptr;
  return events;
}

void Endpoint::arrived(transport::Peer from, transport::Notice notice) {
  if (is_silent(from)) return;
  if (const auto message = message_in(notice, 0); message && seat_.look)
    for (const auto& policy : policies_)
      if (const auto kind = policy->saw(from, message->operation)) strike(*policy, *kind, from);
  if (!is_silent(from)) sink_->arrived(from, notice);
}
void Endpoint::completed(transport::Peer to, transport::Cookie cookie) {
  sink_->completed(to, cookie);
}
void Endpoint::broken(transport::Peer peer, const Error& why) {
  remote(peer).broken = true;
  detour_.forget(peer);
  if (!is_silent(peer)) sink_->broken(peer, why);
}
std::byte* Endpoint::place(transport::Peer from, transport::Notice notice, u64 bytes) {
  return is_silent(from) ? nullptr : sink_->place(from, notice, bytes);
}

// ---- sleeping

bool Endpoint::arm() {
  const TimePoint next = this->next();
  if (next <= Clock::now()) return false;
  if (next != never) {  // the kernel takes a time that has passed meanwhile as now
    const i64 at = next.time_since_epoch().count();
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
  const itimerspec never_again{};
  WEFT_ASSERT(::timerfd_settime(timer_.get(), 0, &never_again, nullptr) == 0);
  inner_->disarm();
}

std::string Endpoint::describe(transport::Peer peer) const {
  return fmt::format("{} (with {} by WEFT_FAULT)", inner_->describe(peer), seat_.rules);
}

Result<std::unique_ptr<transport::Transport>> wrap(std::unique_ptr<transport::Transport> inner,
                                                   const Rules& rules, u32 rank, Look look) {
  if (rules.empty()) return inner;
  Endpoint::Policies policies;
  Endpoint::Seat seat{.rank = rank, .look = look};
  for (const Rule& rule : rules) {
    if (rule.kind == Kind::rate)
      policies.push_back(std::make_unique<Rate>(rule.rate));
    else
      policies.push_back(std::make_unique<Trigger>(rule));
    seat.sees_all |= rule.kind == Kind::rate || rule.kind == Kind::corrupt;
    seat.rules += (seat.rules.empty() ? "" : ";") + rule.text;
  }
  WEFT_ASSIGN(auto made, Endpoint::make(std::move(inner), std::move(policies), std::move(seat)));
  return made;
}

}  // namespace weft::fault
