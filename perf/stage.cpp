#include "perf/stage.hpp"

#include "perf/peer_module.hpp"

namespace weft::perf {
namespace {

// The first process asks the tool, since all must hear the same.
Result<std::vector<Candidate>> shared_candidates(const Processes& processes, weft_collective_t kind,
                                                 const std::string& shape) {
  struct Text {
    char text[16384] = "";
  };
  Text mine;
  if (processes.rank() == 0) {
    const auto text = list_of_candidates(kind, shape);
    const bool fits = text && text->size() < sizeof mine.text;
    if (fits) text->copy(mine.text, text->size());
    const auto all = processes.gathered(std::span<const Text>(&mine, 1));
    if (!text) return tl::unexpected(text.error());
    if (!all) return tl::unexpected(all.error());
    if (!fits) return fail(Exit::invalid_usage, "too many schedules for --sweep-algorithms");
  } else {
    const auto all = processes.gathered(std::span<const Text>(&mine, 1));
    if (!all) return tl::unexpected(all.error());
    mine = all->front();
  }
  auto candidates = parse_candidates(mine.text, kind);
  if (candidates.empty())
    return fail(Exit::invalid_usage, "--sweep-algorithms: the first process found no schedules");
  return candidates;
}

}  // namespace

Result<Stage> Stage::create(const Processes& processes, const Collective& collective,
                            const Options& options, const Session& session) {
  Stage stage;
  stage.session_ = &session;
  stage.seats_.push_back({.entrant = {.name = "weft"}, .session = &session});
  PERF_TRY(stage.take_backend(options));
  for (const std::string& name : options.compare)
    PERF_TRY(stage.add_rival(processes, options, name));
  if (options.sweep_algorithms) PERF_TRY(stage.add_candidates(processes, collective, options));
  if (stage.seats_.size() == 1) return stage;
  auto distance = Distance::create(processes);
  if (!distance) return tl::unexpected(std::move(distance).error());
  stage.distance_.emplace(std::move(*distance));
  return stage;
}

Result<const Peer*> Stage::open(const std::string& name) {
  const auto peer = open_peer(module_of(name));
  if (!peer) return peer;
  peers_.push_back(*peer);
  const PeerJob job = {.rank = session_->first_rank(0),
                       .ranks = session_->ranks(),
                       .colour = session_->colour(),
                       .comm = session_->of_thread(0).front().get()};
  if (!(*peer)->start(&job)) return failure_of(**peer, "the start");
  descriptions_.push_back(fmt::format("{}, {}", name, (*peer)->product()));
  return *peer;
}

Status Stage::take_backend(const Options& options) {
  if (options.backend.empty()) return {};
  const auto peer = open(options.backend);
  if (!peer) return tl::unexpected(peer.error());
  seats_[0].entrant.name = options.backend;
  seats_[0].peer = *peer;
  return {};
}

Status Stage::add_rival(const Processes& processes, const Options& options,
                        const std::string& name) {
  if (is_own(name)) return add_own(processes, options, name);
  const auto peer = open(name);
  if (!peer) return tl::unexpected(peer.error());
  add_forms(**peer, name);
  return {};
}

// Weft in another way.
Status Stage::add_own(const Processes& processes, const Options& options, const std::string& name) {
  Seat seat = {.entrant = {.name = name}, .session = session_};
  std::string what;
  if (name == "fast") {
    Options fast = options;
    fast.order = name;
    const auto session = made(processes, fast);
    if (!session) return tl::unexpected(session.error());
    seat.session = *session;
    what = "with sums in any order";
  } else if (name == "grouped") {
    seat.grouped = true;
    what = fmt::format("{} calls in groups of {}", grouped_operations, operations_of_a_group);
  } else if (name == "bf16") {
    std::string note;
    seat.type = &types_named("bfloat16", note).front();
    what = "with the same bytes as bfloat16";
  } else {
    seat.shift = unaligned_shift;
    what = fmt::format("with buffers {} bytes later", unaligned_shift);
  }
  seats_.push_back(std::move(seat));
  descriptions_.push_back(fmt::format("{}, Weft {}", name, what));
  return {};
}

void Stage::add_forms(const Peer& peer, const std::string& name) {
  if (!peer.forms)
    seats_.push_back({.entrant = {.name = name}, .session = session_, .peer = &peer});
  for (int form = 0; peer.forms && peer.forms[form]; ++form)
    seats_.push_back({.entrant = {.name = name, .form = peer.forms[form]},
                      .session = session_,
                      .peer = &peer,
                      .form = form});
}

Result<const Session*> Stage::made(const Processes& processes, const Options& options) {
  auto session = Session::create(processes, options);
  if (!session) return tl::unexpected(std::move(session).error());
  sessions_.push_back(std::move(*session));
  return &sessions_.back();
}

Status Stage::add_candidates(const Processes& processes, const Collective& collective,
                             const Options& options) {
  weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
  PERF_TRY(
      check(weft_comm_info(session_->of_thread(0).front().get(), &info), "asking a communicator"));
  const std::string promised = info.order;
  const auto candidates = shared_candidates(processes, collective.kind, info.shape);
  if (!candidates) return tl::unexpected(candidates.error());
  for (const Candidate& candidate : *candidates) {
    Options forced = options;
    forced.algorithm = candidate.name;
    forced.order = "auto";  // that of the schedule
    const auto session = made(processes, forced);
    if (!session) return tl::unexpected(session.error());
    const bool keeps = candidate.order.empty() || promised == "fast" || candidate.order == promised;
    seats_.push_back(
        {.entrant = {.name = candidate.name, .order = candidate.order, .may_win = keeps},
         .session = *session});
  }
  return {};
}

std::vector<Contender> Stage::contenders(int thread) const {
  std::vector<Contender> contenders;
  for (const Seat& seat : seats_)
    contenders.push_back({.entrant = seat.entrant,
                          .runner = {.communicators = seat.session->of_thread(thread),
                                     .peer = seat.peer,
                                     .form = seat.form},
                          .grouped = seat.grouped,
                          .type = seat.type,
                          .shift = seat.shift});
  return contenders;
}

Status Stage::see(const PeerBuffers& buffers) const {
  for (const Peer* peer : peers_)
    if (peer->see && !peer->see(&buffers)) return failure_of(*peer, "the look at buffers");
  return {};
}

void Stage::finish() {
  for (const Peer* peer : peers_) peer->finish();
}

}  // namespace weft::perf
