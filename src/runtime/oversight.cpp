#include "runtime/oversight.hpp"

#include <cstring>
#include <map>

#include "base/config.hpp"
#include "bootstrap/wire.hpp"

namespace weft::runtime {
namespace {

using std::chrono::milliseconds;

// How long an error waits for a verdict. Whoever else saw it has reported it; a death is known as
// soon as a connection ends; the ledgers of all ranks take a question and its answers.
constexpr Duration for_others = milliseconds(700), for_a_cause = milliseconds(1200),
                   for_ledgers = milliseconds(1800);

// Who waits is asked once a second; a moment without a core does not make a rank one that nobody
// drives.
constexpr Duration still_driven = milliseconds(1500);

control::CommId id_of(const Secret& secret) {
  u64 id;
  std::memcpy(&id, secret.derive("control").bytes().data(), sizeof id);
  return id;
}

// Over a socket of the node where both are on one, else by the address that it told.
Result<control::Place> place_of(const Manifest& mine, const Manifest& peer,
                                const std::string& contact) {
  control::Place place{.pid = int(peer.pid), .host = peer.host_name};
  place.is_here = mine.host == peer.host && mine.pids == peer.pids;
  if (mine.shares_host_with(peer) && (mine.node == peer.node || contact.empty())) {
    place.name = peer.control;
    return place;
  }
  bootstrap::Reader reader(contact);
  const auto told = bootstrap::Contact::read(reader);
  if (!reader.ended())
    return fail(Code::mismatch, "the control address of {} cannot be read", peer.host_name);
  place.addresses = told.addresses();
  return place;
}

}  // namespace

Result<Oversight::Job> Oversight::plan(const std::vector<Manifest>& manifests,
                                       const std::vector<Addresses>& addresses, u32 rank,
                                       const Secret& secret) {
  auto plan = std::make_shared<control::JobPlan>();
  plan->id = id_of(secret);
  plan->key = secret.derive("control links");
  WEFT_ASSIGN(const double seconds, config::seconds(config::heartbeat_timeout));
  plan->timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  Job job;
  std::map<std::string, control::Process> known;
  for (u32 r = 0; r < manifests.size(); ++r) {
    const Manifest& peer = manifests[r];
    const auto [at, fresh] = known.try_emplace(peer.process, u32(plan->processes.size()));
    job.members.push_back(at->second);
    if (!fresh) continue;
    const std::string contact = addresses.empty() ? std::string() : addresses[r].control;
    WEFT_ASSIGN(plan->processes.emplace_back(), place_of(manifests[rank], peer, contact));
  }
  plan->self = job.members[rank];
  job.plan = std::move(plan);
  return job;
}

Result<std::unique_ptr<Oversight>> Oversight::begin(const Job& job, const Secret& secret, u32 rank,
                                                    executor::Engine& engine) {
  std::unique_ptr<Oversight> made(new Oversight(job, id_of(secret), rank, engine));
  WEFT_TRY(control::Hub::here().join(*job.plan, made->comm_, job.members, rank, *made));
  return made;
}

Oversight::~Oversight() { leave(); }

void Oversight::leave() {
  if (!left_.exchange(true)) control::Hub::here().leave(job_.plan->id, comm_, rank_);
}

Duration Oversight::consult(const Error& error, u32 origin, u64 call) {
  if (origin != rank_) return for_others;
  switch (error.code) {
    case Code::remote_error: report(control::Evidence::broken, error); return for_a_cause;
    case Code::mismatch:  // ledgers tell who is in the minority
    case Code::timed_out: report(control::Evidence::timed_out, error, call); return for_ledgers;
    default: report(control::Evidence::certain, error); return for_others;
  }
}

void Oversight::report(control::Evidence evidence, const Error& error, u64 call) {
  control::Hub::here().report(job_.plan->id, {.comm = comm_,
                                              .rank = rank_,
                                              .evidence = evidence,
                                              .code = u8(error.code),
                                              .call = call,
                                              .text = error.text,
                                              .members = {}});
}

Result<std::vector<std::pair<u32, std::string>>> Oversight::exchange(std::string part,
                                                                     Deadline deadline) {
  if (out_of_step_)
    return fail(Code::invalid_argument,
                "an earlier weft_comm_shrink of this communicator ended without the others: they "
                "count its exchanges differently now, so make a new communicator");
  out_of_step_ = true;  // unless it ends with all
  const control::Contribution mine{.comm = comm_,
                                   .exchange = ++exchanges_,
                                   .rank = rank_,
                                   .blob = std::move(part),
                                   .members = job_.members};
  WEFT_ASSIGN(auto gathered, control::Hub::here().exchange(job_.plan->id, mine, deadline));
  out_of_step_ = false;
  return std::move(gathered.blobs);
}

control::Entry Oversight::look() const {
  executor::Standing now = engine_.standing();
  return {.rank = rank_,
          .made = now.made,
          .done = now.done,
          .driven = Clock::now() - now.published < still_driven,
          .call = now.call,
          .called = std::move(now.called),
          .moved = now.moved,
          .peers = std::move(now.peers),
          .waits = std::move(now.waits)};
}

}  // namespace weft::runtime
