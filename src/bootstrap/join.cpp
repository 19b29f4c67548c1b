// Becoming a job: the root opens its door, the others find their places in the tree.
#include "bootstrap/call.hpp"
#include "bootstrap/invitation.hpp"
#include "bootstrap/tree.hpp"
#include "bootstrap/tree_bootstrap.hpp"

namespace weft::bootstrap {
namespace {

// How long a rank that cannot reach its parent tries to tell the root.
constexpr Duration complaint_most = std::chrono::seconds(2);
// How long rank 0 looks whether another rank 0 already holds its port.
constexpr Duration second_root_most = std::chrono::seconds(2);

Secret job_secret(const Secret& rendezvous, const std::array<std::byte, 32>& session) {
  return rendezvous.derive("job " + to_hex(session));
}

}  // namespace

Result<std::unique_ptr<TreeBootstrap>> TreeBootstrap::join(Rendezvous rendezvous, u32 rank,
                                                           u32 ranks, Deadline deadline) {
  const Hello self{.rank = rank, .ranks = ranks, .instance = random_nonce()};
  std::unique_ptr<TreeBootstrap> node(new TreeBootstrap(self, rendezvous.secret));
  if (rendezvous.listener)
    WEFT_TRY(node->become_root(std::move(rendezvous), deadline));
  else
    WEFT_TRY(node->become_member(rendezvous, deadline));
  WEFT_TRY(node->run(Kind::join, {}, deadline));
  node->close_door();
  return node;
}

Status TreeBootstrap::become_root(Rendezvous rendezvous, Deadline) {
  self_.contact = rendezvous.listener->contact();
  door_.emplace(std::move(*rendezvous.listener), rendezvous.secret, counters_);
  fill_random(session_);
  secret_ = job_secret(rendezvous.secret, session_);
  if (rank() >= ranks()) {
    fail_job({Code::invalid_argument, fmt::format("rank {} is out of range: a job of {} ranks has "
                                                  "0 to {}",
                                                  rank(), ranks(), ranks() - 1)});
    return fail(farewell());
  }
  roster_.emplace(ranks(), self_);
  return {};
}

Status TreeBootstrap::become_member(const Rendezvous& rendezvous, Deadline deadline) {
  WEFT_ASSIGN(const auto ports, allowed_ports());
  WEFT_ASSIGN(Listener listener, Listener::open(ports));
  self_.contact = listener.contact();
  // At a place fixed beforehand it is rank 0 that listens.
  const Call root{rendezvous.root,
                  rendezvous.may_come_later ? "rank 0, the root of the job" : "the root of the job",
                  rendezvous.may_come_later};
  WEFT_ASSIGN(const Answered place, call(root, rendezvous.secret, self_, deadline, counters_));
  if (place.answer.error.code != Code::ok) return fail(place.answer.error);
  position_ = place.answer.position;
  secret_ = job_secret(rendezvous.secret, place.answer.session);
  if (children_of(position_, ranks()) > 0)
    door_.emplace(std::move(listener), rendezvous.secret, counters_);

  Contact contact = place.answer.parent;
  // The root is best reached where it has just been reached.
  if (parent_of(position_) == 0) contact = {place.at.port, {place.at.ip}};
  const Call parent{contact.addresses(),
                    fmt::format("rank {}, its parent in the tree", place.answer.rank), false};
  Hello child = self_;
  child.purpose = Purpose::adopt;
  auto adopted = call(parent, rendezvous.secret, child, deadline, counters_);
  if (adopted && adopted->answer.error.code == Code::ok) {
    parent_.emplace(std::move(adopted->socket), adopted->answer.rank, adopted->at);
    counters_.links_peak = 1;
    return {};
  }
  fail_job(adopted ? adopted->answer.error : complain(root, rendezvous.secret, adopted.error()));
  return fail(farewell());
}

// The root then ends the job for all, and says why; what went wrong here is the detail.
Error TreeBootstrap::complain(const Call& root, const Secret& rendezvous, Error error) {
  Hello complaint = self_;
  complaint.purpose = Purpose::complain;
  const auto heard = call(root, rendezvous, complaint, Deadline::after(complaint_most), counters_);
  if (!heard) return error;
  return {heard->answer.error.code, heard->answer.error.text + "; " + error.text};
}

namespace {

// Rank 0 of a reserved id whose port is taken: by another rank 0 of the same job, or by a stranger?
Error explain_taken_port(const Rendezvous& rendezvous, u32 ranks, Error taken) {
  const Hello second{.rank = 0, .ranks = ranks, .instance = random_nonce()};
  Counters counters;
  const Call root{rendezvous.root, "the root of the job", false};
  const auto answered =
      call(root, rendezvous.secret, second, Deadline::after(second_root_most), counters);
  return answered ? answered->answer.error : taken;
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> join(const UniqueId& id, u32 rank, u32 ranks,
                                        Deadline deadline) {
  if (ranks == 0) return fail(Code::invalid_argument, "a job of 0 ranks was asked for");
  WEFT_ASSIGN(const Invitation invitation, decode(id));
  Rendezvous rendezvous{invitation.secret, invitation.root.addresses(),
                        !invitation.listener_is_open, take_held_listener(id, rank)};
  if (!invitation.listener_is_open && rank == 0) {
    auto listener = Listener::open({invitation.root.port});
    if (!listener) return fail(explain_taken_port(rendezvous, ranks, std::move(listener).error()));
    rendezvous.listener = std::move(*listener);
  }
  WEFT_ASSIGN(auto node, TreeBootstrap::join(std::move(rendezvous), rank, ranks, deadline));
  return node;
}

}  // namespace weft::bootstrap
