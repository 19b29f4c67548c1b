#include "control/status_door.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/log.hpp"

namespace weft::control {
namespace {

using nlohmann::json;

constexpr std::size_t most_clients = 8;
constexpr Duration deaf_after_an_error = std::chrono::milliseconds(100);
constexpr Duration for_answers = std::chrono::milliseconds(1200), to_read = std::chrono::seconds(5);

json describe(Job& job) {
  const JobPlan& plan = job.plan();
  json processes = json::array();
  for (Process p = 0; p < plan.processes.size(); ++p)
    processes.push_back({{"pid", plan.processes[p].pid},
                         {"host", plan.processes[p].host},
                         {"state", name_of(job.fate(p))}});
  json communicators = json::array();
  for (const auto& [id, survey] : job.surveys()) {
    json one = as_json(survey);
    const Diagnosis found =
        diagnose(survey, [&](Process process) { return job.describe(process); });
    if (const Error* const verdict = job.verdict(id))
      one["verdict"] = verdict->text;
    else if (found.kind != Diagnosis::nothing && found.kind != Diagnosis::slow)
      one["finding"] = found.text;
    communicators.push_back(std::move(one));
  }
  return {{"job", hex(plan.id)},
          {"process", plan.self},
          {"processes", std::move(processes)},
          {"communicators", std::move(communicators)}};
}

bool all_answered(const StatusDoor::Jobs& jobs) {
  return std::all_of(jobs.begin(), jobs.end(),
                     [](const auto& each) { return each.second->is_surveyed(); });
}

}  // namespace

std::string status_name(int pid) { return fmt::format("weft-status-{}", pid); }

std::optional<StatusDoor> StatusDoor::open(int pid) {
  auto listener = listen_at(status_name(pid));
  if (listener) return StatusDoor(std::move(*listener));
  log::debug("`weft status` cannot ask this process: {}", listener.error().text);
  return std::nullopt;
}

void StatusDoor::watch(std::vector<pollfd>& polled) const {
  if (clients_.size() < most_clients && deaf_until_ == TimePoint::max())
    polled.push_back({listener_.get(), POLLIN, 0});
  for (const Client& client : clients_) polled.push_back(client.stream.watched());
}

void StatusDoor::let_in(const Jobs& jobs, TimePoint now) {
  while (clients_.size() < most_clients && deaf_until_ == TimePoint::max()) {
    int error = 0;
    Fd socket = accept_from(listener_.get(), error);
    if (!socket) {
      if (error != EAGAIN) deaf_until_ = now + deaf_after_an_error;
      return;
    }
    if (!is_same_user(socket.get())) continue;
    const bool is_asked = std::any_of(clients_.begin(), clients_.end(),
                                      [](const Client& client) { return !client.answered; });
    clients_.push_back({Stream(std::move(socket), 1), now});
    if (is_asked) continue;  // one answer serves all who wait for it
    for (const auto& [id, job] : jobs) job->survey(now);
  }
}

TimePoint StatusDoor::step(const Jobs& jobs, TimePoint now) {
  if (deaf_until_ <= now) deaf_until_ = TimePoint::max();
  let_in(jobs, now);
  TimePoint next = deaf_until_;
  for (Client& client : clients_) {
    if (!client.answered && (all_answered(jobs) || now >= client.since + for_answers)) {
      json all = json::array();
      for (const auto& [id, job] : jobs) all.push_back(describe(*job));
      client.stream.put(dump({{"pid", ::getpid()}, {"jobs", std::move(all)}}));
      client.answered = true;
    }
    client.stream.move();
    next = std::min(next, client.since + (client.answered ? to_read : for_answers));
  }
  std::erase_if(clients_, [&](const Client& client) {
    const bool done = client.answered && client.stream.unsent() == 0;
    const bool talks = !client.stream.incoming().empty();  // there is nothing to be said here
    return done || talks || client.stream.ended() || now >= client.since + to_read;
  });
  return next;
}

}  // namespace weft::control
