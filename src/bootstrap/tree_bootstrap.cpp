#include "bootstrap/tree_bootstrap.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/log.hpp"
#include "bootstrap/ranks_text.hpp"
#include "bootstrap/tree.hpp"
#include "bootstrap/wire.hpp"

namespace weft::bootstrap {
namespace {

// How long a rank past its deadline waits for the root to say who is missing, and the root for
// those who know better. Longer further down, so that of a row of ranks that wait for each other
// the first one speaks: its parent is the silent one.
Duration grace_at(u32 position) {
  using std::chrono::milliseconds;
  return position == 0 ? milliseconds(300)
                       : milliseconds(700) + milliseconds(100) * std::popcount(position);
}
// How long a failed rank stays to tell the others.
constexpr Duration farewell_most = std::chrono::milliseconds(800);

}  // namespace

template <class Function>
void TreeBootstrap::for_each_link(Function function) {
  if (parent_) function(*parent_);
  for (Link& child : children_) function(child);
}

std::string TreeBootstrap::name_of(Kind kind) const {
  if (kind == Kind::join) return "joined";
  return fmt::format("called {} (call {} of this job)",
                     kind == Kind::exchange ? "exchange" : "barrier", sequence_);
}

Result<std::vector<std::string>> TreeBootstrap::exchange(const std::string& blob,
                                                         Deadline deadline) {
  if (blob.size() > blob_most_bytes)
    return fail(Code::invalid_argument, "a blob of {} bytes was given to exchange; {} is the most",
                blob.size(), blob_most_bytes);
  ++sequence_;
  return run(Kind::exchange, blob, deadline);
}

Status TreeBootstrap::barrier(Deadline deadline) {
  ++sequence_;
  WEFT_TRY(run(Kind::barrier, {}, deadline));
  return {};
}

Result<std::vector<std::string>> TreeBootstrap::run(Kind kind, const std::string& blob,
                                                    Deadline deadline) {
  if (failure_) return fail(Code::aborted, "the job failed earlier: {}", failure_->text);
  Round round{.kind = kind, .began = Clock::now(), .deadline = deadline};
  if (kind == Kind::exchange) round.blobs.resize(ranks());
  if (roster_) round.heard = {std::vector<bool>(ranks()), std::vector<bool>(ranks(), true)};
  contribute(round, Writer().number(rank()).number(static_cast<u8>(kind)).bytes(blob).get());
  while (true) {
    pump(round);
    if (!failure_ && !(round.done && flushed())) watch_deadline(round);
    if (failure_) return fail(farewell());
    if (round.done && flushed()) return std::move(round.blobs);
    sleep(round);
  }
}

void TreeBootstrap::pump(Round& round) {
  // A caller who comes when all have joined belongs to the next job at this address (the same
  // environment used twice): he stays in the kernel's queue, is cut off there, and calls again.
  if (door_ && !round.done)
    for (Guest& guest : door_->serve()) receive_guest(round, std::move(guest));
  for_each_link([&](Link& link) {
    link.progress(sequence_);
    while (auto frame = link.next(sequence_)) handle(round, link, *frame);
    if (link.ended() && !round.done && !failure_)
      fail_job({Code::remote_error,
                fmt::format("rank {} (at {}) left before all had {}: {}", link.rank(),
                            link.at().ip.text(), name_of(round.kind), link.reason())});
  });
  // What handling has queued goes out now, not after the next sleep. No reading here: a frame read
  // after the loop above would lie unseen while poll() waits for more.
  for_each_link([](Link& link) { link.flush(); });
}

void TreeBootstrap::receive_guest(Round& round, Guest guest) {
  if (failure_) return door_->answer(guest, {.error = *failure_});
  if (guest.hello.purpose == Purpose::adopt) return adopt(std::move(guest));
  if (!roster_) {
    door_->answer(guest, {.error = {Code::remote_error,
                                    fmt::format("rank {} is not the root of the job", rank())}});
    return;
  }
  Answer answer = roster_->admit(guest.hello, guest.from);
  if (guest.hello.purpose == Purpose::complain && answer.error.code == Code::ok) {
    complaints_.push_back({std::move(guest), answer.rank});
    return hurry(round);
  }
  answer.session = session_;
  door_->answer(guest, answer);
  if (answer.error.code == Code::ok) return;
  fail_job(std::move(answer.error));
}

void TreeBootstrap::adopt(Guest guest) {
  door_->answer(guest, {.rank = rank()});
  std::erase_if(children_, [&](const Link& link) { return link.rank() == guest.hello.rank; });
  children_.emplace_back(std::move(guest.socket), guest.hello.rank, guest.from);
  counters_.links_peak =
      std::max(counters_.links_peak, static_cast<u32>(children_.size() + parent_.has_value()));
}

void TreeBootstrap::handle(Round& round, const Link& from, const Frame& frame) {
  Reader reader(frame.payload);
  switch (frame.type) {
    case FrameType::contribution: return contribute(round, frame.payload);
    case FrameType::blob: {
      send_down(encode(frame.type, sequence_, frame.payload));
      const u32 whose = reader.number<u32>();
      if (whose < round.blobs.size()) round.blobs[whose] = reader.rest();
      return;
    }
    case FrameType::done:
      send_down(encode(frame.type, sequence_, {}));
      round.done = true;
      return;
    case FrameType::impatient:
      if (parent_) return parent_->send(encode(frame.type, sequence_, frame.payload));
      return hurry(round);
    case FrameType::roll_call:
      if (!parent_) break;
      send_down(encode(frame.type, sequence_, {}));
      return parent_->send(encode(FrameType::present, sequence_, Writer().number(rank()).get()));
    case FrameType::present: {
      if (parent_) return parent_->send(encode(frame.type, sequence_, frame.payload));
      if (const u32 whose = reader.number<u32>(); whose < ranks())
        round.heard.present[whose] = true;
      return;
    }
    case FrameType::failure: {
      const auto code = static_cast<Code>(reader.number<u8>());
      return fail_job({code, std::string(reader.rest())});
    }
  }
  fail_job({Code::remote_error, fmt::format("rank {} sent rank {} a frame of unknown type {}",
                                            from.rank(), rank(), static_cast<u8>(frame.type))});
}

void TreeBootstrap::contribute(Round& round, const std::string& payload) {
  if (parent_) return parent_->send(encode(FrameType::contribution, sequence_, payload));
  Reader reader(payload);
  const u32 whose = reader.number<u32>();
  const auto kind = static_cast<Kind>(reader.number<u8>());
  if (!reader.ok() || whose >= ranks() || round.heard.contributed[whose])
    return fail_job({Code::remote_error, fmt::format("rank {} contributed twice", whose)});
  if (kind != round.kind)
    return fail_job({Code::mismatch, fmt::format("rank {} has {} while rank {} has {}", whose,
                                                 name_of(kind), rank(), name_of(round.kind))});
  round.heard.contributed[whose] = round.heard.present[whose] = true;
  ++round.contributions;
  if (round.kind == Kind::exchange) {
    round.blobs[whose] = reader.rest();
    send_down(
        encode(FrameType::blob, sequence_, Writer().number(whose).bytes(round.blobs[whose]).get()));
  }
  if (round.contributions < ranks()) return;
  send_down(encode(FrameType::done, sequence_, {}));
  round.done = true;
}

void TreeBootstrap::send_down(const Encoded& frame) {
  for (Link& child : children_) child.send(frame);
}

bool TreeBootstrap::flushed() const {
  return std::all_of(children_.begin(), children_.end(), [](auto& link) { return link.flushed(); });
}

// Also the root waits a moment: who cannot reach his parent complains when his own deadline passes,
// and then it is known which of the two is to blame. Meanwhile it calls the roll: a rank may have
// frozen after it contributed, with others behind it.
void TreeBootstrap::hurry(Round& round) {
  if (std::exchange(round.impatient, true)) return;
  round.deadline = Deadline::after(grace_at(position_));
  if (!roster_) return;
  round.heard.present.assign(ranks(), false);
  round.heard.present[rank()] = true;
  send_down(encode(FrameType::roll_call, sequence_, {}));
}

void TreeBootstrap::watch_deadline(Round& round) {
  if (!round.deadline.passed()) return;
  const Duration waited = Clock::now() - round.began;
  if (round.done)
    return fail_job({Code::timed_out,
                     fmt::format("rank {} could not pass on results to its children in {}: they do "
                                 "not read",
                                 rank(), seconds_text(waited))});
  if (!round.impatient) {
    hurry(round);
    return parent_ ? parent_->send(encode(FrameType::impatient, sequence_, {})) : void();
  }
  if (roster_) return fail_job(whom_to_blame(round, waited));
  fail_job(
      {Code::timed_out,
       fmt::format("rank {} does not answer: rank {}, whose parent in the tree it is, waited {} "
                   "after it had {}",
                   parent_->rank(), rank(), seconds_text(waited), name_of(round.kind))});
}

// Who is accused of being unreachable may be stuck with its own parent: then it complains as well,
// or it cannot have been heard, and the fault is further up.
Error TreeBootstrap::whom_to_blame(const Round& round, Duration waited) const {
  const auto is_stuck = [&](u32 rank) {
    return roster_->is_unheard(rank, round.heard) ||
           std::any_of(complaints_.begin(), complaints_.end(),
                       [&](const Complaint& other) { return other.by.hello.rank == rank; });
  };
  for (const auto& [by, accused] : complaints_)
    if (!is_stuck(accused))
      return {Code::remote_error,
              fmt::format("rank {} joined and cannot be reached by rank {}, whose parent in the "
                          "tree it is: it has ended, or something is in between",
                          accused, by.hello.rank)};
  return {Code::timed_out, roster_->missing(round.heard, name_of(round.kind), waited)};
}

void TreeBootstrap::sleep(const Round& round) {
  std::vector<pollfd> polled;
  Duration most = round.deadline.left();
  if (door_ && !round.done) {
    door_->watch(polled);
    most = std::min(most, door_->patience_left());
  }
  for_each_link([&](Link& link) {
    if (const short events = link.events(sequence_)) polled.push_back({link.fd(), events, 0});
  });
  ::poll(polled.data(), polled.size(), poll_milliseconds(most));
}

void TreeBootstrap::fail_job(Error error) {
  if (failure_) return;
  const auto frame = encode(FrameType::failure, sequence_,
                            Writer().number(static_cast<u8>(error.code)).bytes(error.text).get());
  for_each_link([&](Link& link) { link.send(frame); });
  failure_ = std::move(error);
  for (const Complaint& complaint : complaints_) door_->answer(complaint.by, {.error = *failure_});
  complaints_.clear();
}

void TreeBootstrap::close_door() {
  door_.reset();
  if (counters_.strangers)
    log::warn(
        "rank {}: turned away {} of {} callers at the rendezvous: they did not know the job's "
        "secret or said nothing",
        rank(), counters_.strangers, counters_.accepted);
}

bool TreeBootstrap::all_told() const {
  const auto ended = [](const Link& link) { return link.ended(); };
  if ((parent_ && !ended(*parent_)) || !std::all_of(children_.begin(), children_.end(), ended))
    return false;
  if (!door_) return true;
  const bool children_came = children_.size() >= children_of(position_, ranks());
  return children_came && (!roster_ || roster_->full());
}

// Half-closes every connection and reads on until the other end has closed too: closing at once
// would make the kernel throw away what the other has not read yet, the sentence included.
Error TreeBootstrap::farewell() {
  const Deadline deadline = Deadline::after(farewell_most);
  const u32 all = ~0u;
  while (true) {
    if (door_) {
      for (Guest& guest : door_->serve()) { door_->answer(guest, {.error = *failure_}); }
    }
    for_each_link([&](Link& link) {
      link.finish();
      link.progress(all);
      while (link.next(all)) continue;
    });
    if (all_told() || deadline.passed()) break;
    std::vector<pollfd> polled;
    if (door_) door_->watch(polled);
    for_each_link([&](Link& link) {
      if (const short events = link.events(all)) polled.push_back({link.fd(), events, 0});
    });
    ::poll(polled.data(), polled.size(), poll_milliseconds(deadline.left()));
  }
  close_door();
  parent_.reset();
  children_.clear();
  return *failure_;
}

}  // namespace weft::bootstrap
