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
  stage.entrants_.push_back({.name = "weft"});
  PERF_TRY(stage.open(options));
  if (options.sweep_algorithms) PERF_TRY(stage.make_candidates(processes, collective, options));
  if (stage.entrants_.size() == 1) return stage;
  auto distance = Distance::create(processes);
  if (!distance) return tl::unexpected(std::move(distance).error());
  stage.distance_.emplace(std::move(*distance));
  return stage;
}

Status Stage::open(const Options& options) {
  replaces_ = !options.backend.empty();
  const std::string& name = replaces_ ? options.backend : options.compare;
  if (name.empty()) return {};
  const auto peer = open_peer(name);
  if (!peer) return tl::unexpected(peer.error());
  peer_ = *peer;
  if (!peer_->start(session_->first_rank(0), session_->ranks(), session_->colour()))
    return failure_of(*peer_, "the start");
  if (replaces_)
    entrants_[0].name = name;
  else
    entrants_.push_back({.name = name});
  return {};
}

Status Stage::make_candidates(const Processes& processes, const Collective& collective,
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
    auto session = Session::create(processes, forced);
    if (!session) return tl::unexpected(std::move(session).error());
    sessions_.push_back(std::move(*session));
    entrants_.push_back(
        {.name = candidate.name,
         .order = candidate.order,
         .may_win = candidate.order.empty() || promised == "fast" || candidate.order == promised});
  }
  return {};
}

std::vector<Contender> Stage::contenders(int thread) const {
  std::vector<Contender> contenders;
  contenders.push_back({.name = entrants_[0].name,
                        .communicators = session_->of_thread(thread),
                        .peer = replaces_ ? peer_ : nullptr});
  if (peer_ && !replaces_)
    contenders.push_back(
        {.name = peer_->name, .communicators = session_->of_thread(thread), .peer = peer_});
  for (std::size_t i = 0; i < sessions_.size(); ++i)
    contenders.push_back(
        {.name = entrants_[i + 1].name, .communicators = sessions_[i].of_thread(thread)});
  return contenders;
}

std::string Stage::description() const {
  if (!peer_) return "";
  return fmt::format("{}, {}", peer_->name, peer_->product());
}

void Stage::finish() {
  if (peer_) peer_->finish();
}

}  // namespace weft::perf
