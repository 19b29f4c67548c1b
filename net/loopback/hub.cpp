#include "net/loopback/hub.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace weft::loopback {

Result<std::shared_ptr<Link>> Link::make(transport::Rail rails, std::size_t ring_capacity) {
  auto link = std::make_shared<Link>();
  for (Side& side : link->sides)
    for (transport::Rail rail = 0; rail < rails; ++rail) {
      WEFT_ASSIGN(Mapping ring, Mapping::anonymous(ring_bytes(ring_capacity)));
      side.rings.push_back(std::move(ring));
    }
  return link;
}

void Party::ring_bell() {
  if (armed.load(std::memory_order_seq_cst) && armed.exchange(false, std::memory_order_seq_cst))
    ::eventfd_write(bell.get(), 1);
}

std::string Party::address() const {
  return fmt::format("loopback:{}:{}:{}", ::getpid(), id, rank);
}

Hub& Hub::of_process() {
  // Not destroyed at exit: an endpoint in a static object may still leave.
  static Hub* const hub = new Hub;
  return *hub;
}

Result<std::shared_ptr<Party>> Hub::enter(const Secret& job, u32 rank, u32 ranks) {
  auto party = std::make_shared<Party>(job, rank, ranks);
  party->bell = Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!party->bell) return fail_errno(errno, fmt::format("rank {}: making an eventfd", rank));
  const std::lock_guard guard(lock_);
  party->id = next_id_++;
  parties_[party->id] = party;
  return party;
}

void Hub::leave(Party& party) {
  std::map<u64, Meeting> offers;
  {
    const std::lock_guard guard(lock_);
    parties_.erase(party.id);
    offers.swap(party.offers);
  }
  for (auto& [id, offer] : offers) {
    offer.link->sides[party.rank > offer.peer->rank].state.store(State::ended,
                                                                 std::memory_order_seq_cst);
    offer.peer->ring_bell();
  }
}

Result<Meeting> Hub::meet(const std::shared_ptr<Party>& self, u32 peer_rank,
                          const std::string& address, transport::Rail rails,
                          std::size_t ring_capacity) {
  int pid = 0;
  unsigned long long id = 0;
  unsigned rank = 0;
  if (std::sscanf(address.c_str(), "loopback:%d:%llu:%u", &pid, &id, &rank) != 3 ||
      rank != peer_rank)
    return fail(Code::invalid_argument, "rank {}: \"{}\" is no loopback address of rank {}",
                self->rank, address, peer_rank);
  if (pid != ::getpid())
    return fail(Code::unsupported,
                "rank {}: rank {} is in process {}, this one is {}: loopback joins ranks of one "
                "process only, use shm or tcp",
                self->rank, peer_rank, pid, ::getpid());

  const std::lock_guard guard(lock_);
  if (auto offer = self->offers.extract(id)) return std::move(offer.mapped());
  const auto found = parties_.find(id);
  const std::shared_ptr<Party> peer = found == parties_.end() ? nullptr : found->second.lock();
  if (!peer)
    return fail(Code::remote_error, "rank {}: rank {} has left this process ({})", self->rank,
                peer_rank, address);
  if (!peer->job.verify({}, self->job.mac({})) || peer->rank != peer_rank ||
      peer->ranks != self->ranks) {
    peer->strangers.fetch_add(1, std::memory_order_relaxed);
    return fail(Code::remote_error,
                "rank {}: {} refused us: it belongs to another job (its secret, rank or number of "
                "ranks differs)",
                self->rank, address);
  }
  WEFT_ASSIGN(auto link, Link::make(rails, ring_capacity));
  peer->offers[self->id] = Meeting{link, self};
  return Meeting{std::move(link), peer};
}

}  // namespace weft::loopback
