#include "cli/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

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

Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.is_regular_file(error)) inside.push_back(entry.path().string());
    if (inside.empty()) return fail(Code::invalid_argument, "{} holds no trace", path);
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
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
      fmt::print("{}: proved, the order is {}\n", where, verify::name_of(verdict.order));
    else
      fmt::print("{}: proved\n", where);
  };
  prove("input and output apart", verify::Buffers::apart);
  if (collective.kind != schedule::Kind::barrier) prove("in place", verify::Buffers::in_place);
  fmt::print("proved {} of {}\n", proved, total);
  return proved == total ? success : failure;
}

Result<int> prove_traces(const std::vector<std::string>& paths) {
  WEFT_ASSIGN(const auto files, files_of(paths));
  std::vector<schedule::RankTrace> traces;
  for (const std::string& file : files) {
    WEFT_ASSIGN(auto trace, read_file(file, schedule::read_trace));
    traces.push_back(std::move(trace));
  }
  const auto verdict = verify::check_trace(traces);
  fmt::print("{} ranks, {} records\n", traces.size(), verdict.records);
  if (!verdict.ok()) fmt::print("{}\n", verdict.fault);
  // The calls stand and fall together: their records are one execution or none.
  fmt::print("proved {} of {}\n", verdict.ok() ? verdict.calls : 0, verdict.calls);
  return verdict.ok() ? success : failure;
}

}  // namespace weft::cli
