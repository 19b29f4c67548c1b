// `weft status`: asks a running job where each of its ranks stands.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/subcommand.hpp"
#include "control/status_client.hpp"

namespace weft::cli {
namespace {

using nlohmann::json;

struct Asked {
  int pid = 0;
  std::string folder;
  bool as_json = false;
};

// Processes of this host that the files of WEFT_VERDICT_DIR name.
Result<std::vector<int>> processes_in(const std::string& folder) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::ifstream file(entry.path());
    const json job = json::parse(file, nullptr, false);
    if (!job.is_object() || !job.contains("processes")) continue;
    for (const json& process : job["processes"])
      if (process.value("host", "") == host) pids.push_back(process.value("pid", 0));
  }
  if (error) return fail(Code::system_error, "{}: {}", folder, error.message());
  if (pids.empty())
    return fail(Code::invalid_argument, "{} names no process on this host ({})", folder, host);
  return pids;
}

std::string process_text(const json& job, const json& rank) {
  const std::size_t number = rank.value("process", ~std::size_t{0});
  if (number >= job["processes"].size()) return "?";
  const json& process = job["processes"][number];
  return fmt::format("{} on {}", process.value("pid", 0), process.value("host", "?"));
}

std::string standing_text(const json& rank) {
  const std::string since = fmt::format("{:.1f} s", rank.value("seconds_since", 0.0));
  const u64 done = rank.value("calls_done", u64{0});
  if (!rank.value("in_operation", false))
    return fmt::format("{}, {} calls ended, no change for {}",
                       rank.value("driven", false) ? "in no call" : "computes", done, since);
  std::string text = fmt::format("in call {} for {}", done, since);
  if (rank.value("call", ~u64{0}) == done && rank.contains("operation"))
    text += ", " + rank.value("operation", "");
  if (!rank.value("driven", false)) return text + ": started, and nobody drives it";
  const std::string waits = rank.value("waits", "");
  return waits.empty() ? text : text + ": " + waits;
}

void print(const json& job) {
  fmt::print("job {}: {} processes\n", job.value("job", "?"), job["processes"].size());
  for (const json& process : job["processes"])
    if (const std::string state = process.value("state", ""); state != "alive")
      fmt::print("  process {} on {}: {}\n", process.value("pid", 0), process.value("host", "?"),
                 state);
  for (const json& one : job["communicators"]) {
    fmt::print("  communicator {}: {} ranks\n", one.value("communicator", "?"),
               one.value("ranks", 0));
    if (one.contains("verdict")) fmt::print("    ended: {}\n", one.value("verdict", ""));
    for (const json& rank : one["ledgers"])
      fmt::print("    rank {:<4} process {}: {}\n", rank.value("rank", 0), process_text(job, rank),
                 standing_text(rank));
    for (const json& rank : one["silent"])
      fmt::print("    rank {:<4} missing: its process does not answer\n", rank.get<int>());
    if (one.contains("finding")) fmt::print("    {}\n", one.value("finding", ""));
  }
}

int show(const Asked& asked) {
  std::vector<int> pids = control::processes_with_jobs();
  if (asked.pid) pids = {asked.pid};
  if (!asked.folder.empty()) {
    auto named = processes_in(asked.folder);
    if (!named) return complain(named.error());
    pids = *named;
  }
  if (pids.empty())
    return complain({Code::system_error, "no process with a job of several ranks on this host"});
  std::set<std::string> seen;  // one process of a job is enough
  json all = json::array();
  Error last;
  for (const int pid : pids) {
    const auto told = control::ask_status(pid, Deadline::after(std::chrono::seconds(3)));
    if (!told) {
      last = told.error();
      continue;
    }
    const json parsed = json::parse(*told, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("jobs")) continue;
    for (const json& job : parsed["jobs"])
      if (seen.insert(job.value("job", "")).second) all.push_back(job);
  }
  if (all.empty())
    return complain(last.text.empty() ? Error{Code::system_error, "no job answers"} : last);
  if (asked.as_json) {
    fmt::print("{}\n", all.dump(2));
  } else {
    for (const json& job : all) print(job);
  }
  return success;
}

}  // namespace

void add_status(CLI::App& app, int& exit_code) {
  auto asked = std::make_shared<Asked>();
  auto* command =
      app.add_subcommand("status", "Ask running jobs where each rank stands, and who is missing");
  command->add_option("pid", asked->pid, "A process of the job; without: all jobs of this host");
  command->add_option("--job", asked->folder, "The job's WEFT_VERDICT_DIR, instead of a process");
  command->add_flag("--json", asked->as_json, "Everything that is known, as JSON");
  command->callback([asked, &exit_code] { exit_code = show(*asked); });
}

}  // namespace weft::cli
