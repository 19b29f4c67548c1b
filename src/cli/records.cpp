#include "cli/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/subcommand.hpp"
#include "schedule/text.hpp"
#include "schedule/trace.hpp"
#include "verify/trace.hpp"
#include "verify/verify.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

// Reads the file with `read`; errors begin with its name.
template <class Read>
auto read_file(const std::string& path, Read read)
    -> decltype(read(std::declval<std::istream&>())) {
  std::ifstream file(path);
  if (!file) return fail_errno(errno, "opening " + path);
  auto value = read(file);
  if (!value) return fail(value.error().code, "{}: {}", path, value.error().text);
  return value;
}

// Files by the folder they are in: the records of one communicator share one.
using Jobs = std::map<std::string, std::vector<std::string>>;

Result<Jobs> jobs_in(const std::vector<std::string>& paths) {
  Jobs jobs;
  const auto take = [&](const fs::path& file) {
    jobs[file.parent_path().string()].push_back(file.string());
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      take(path);
      continue;
    }
    const std::size_t before = jobs.size();
    for (const auto& entry : fs::recursive_directory_iterator(path, error))
      if (entry.is_regular_file(error)) take(entry.path());
    if (jobs.size() == before) return fail(Code::invalid_argument, "{} holds no trace", path);
  }
  for (auto& [folder, files] : jobs) std::sort(files.begin(), files.end());
  return jobs;
}

Result<verify::TraceVerdict> check_job(const std::vector<std::string>& files) {
  std::vector<schedule::RankTrace> traces;
  for (const std::string& file : files) {
    WEFT_ASSIGN(auto trace, read_file(file, schedule::read_trace));
    traces.push_back(std::move(trace));
  }
  return verify::check_trace(traces);
}

}  // namespace

Result<int> prove_file(const std::string& path) {
  WEFT_ASSIGN(const auto schedule, read_file(path, schedule::read_schedule));
  const auto& collective = schedule.collective;
  fmt::print("{}: {} of {} ranks, {} atoms\n", path, name_of(collective.kind),
             schedule.programs.size(), schedule.tiling.atoms());
  u32 proved = 0, total = 0;
  const auto prove = [&](const char* where, verify::Buffers buffers) {
    const auto verdict = verify::verify(schedule.programs, collective, {.buffers = buffers});
    ++total, proved += verdict.ok();
    if (!verdict.ok())
      fmt::print("{}: {}\n", where, verdict.fault);
    else if (reduces(collective.kind))
      fmt::print("{}: proved, the order is {}\n", where, schedule::name_of(verdict.order));
    else
      fmt::print("{}: proved\n", where);
  };
  prove("input and output apart", verify::Buffers::apart);
  if (collective.kind != schedule::Kind::barrier && collective.kind != schedule::Kind::all_to_all)
    prove("in place", verify::Buffers::in_place);
  fmt::print("proved {} of {}\n", proved, total);
  return proved == total ? success : failure;
}

Result<int> prove_traces(const std::vector<std::string>& paths) {
  WEFT_ASSIGN(const Jobs jobs, jobs_in(paths));
  u64 proved = 0, calls = 0;
  bool sound = true;
  for (const auto& [folder, files] : jobs) {
    WEFT_ASSIGN(const auto verdict, check_job(files));
    fmt::print("{}: {} ranks, {} records\n", folder.empty() ? "." : folder, files.size(),
               verdict.records);
    if (!verdict.ok()) fmt::print("{}\n", verdict.fault);
    // The calls of a job stand and fall together: their records are one execution or none.
    calls += verdict.calls;
    if (verdict.ok()) proved += verdict.calls;
    sound &= verdict.ok();
  }
  fmt::print("proved {} of {}\n", proved, calls);
  return sound ? success : failure;
}

}  // namespace weft::cli
