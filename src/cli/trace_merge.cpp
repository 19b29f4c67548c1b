#include "cli/trace_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

namespace weft::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Parses a file, handing over its events one by one; what is left is the rest of it. Errors begin
// with the file's name.
Result<Json> read(const std::string& path, const std::function<void(Json&)>& event) {
  std::ifstream file(path);
  if (!file) return fail_errno(errno, "opening " + path);
  bool in_events = false;
  const auto take = [&](int depth, Json::parse_event_t kind, Json& parsed) {
    if (depth == 1 && kind == Json::parse_event_t::key) {
      in_events = parsed == "traceEvents";
      return !in_events || bool(event);
    }
    if (!in_events || depth != 2 || kind != Json::parse_event_t::object_end) return true;
    event(parsed);
    return false;
  };
  try {
    return Json::parse(file, take);
  } catch (const Json::exception& error) {
    return fail(Code::invalid_argument, "{}: not a rank's trace, or cut off: {}", path,
                error.what());
  }
}

Result<RankFile> read_head(const std::string& path) {
  WEFT_ASSIGN(const Json all, read(path, nullptr));
  try {
    const Json& about = all.at("otherData");
    return RankFile{.path = path,
                    .communicator = about.at("communicator"),
                    .host = about.at("host"),
                    .node = about.at("node"),
                    .rank = about.at("rank"),
                    .ranks = about.at("ranks"),
                    .origin = about.at("origin_ns"),
                    .dropped = about.at("dropped")};
  } catch (const Json::exception& error) {
    return fail(Code::invalid_argument, "{}: was not written for WEFT_TRACE: {}", path,
                error.what());
  }
}

bool is_of_a_rank(const fs::path& path) {
  return path.extension() == ".json" && path.filename().string().starts_with("rank-");
}

}  // namespace

Result<std::vector<RankFile>> find_rank_files(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(Code::invalid_argument, "{} is not a folder: give what WEFT_TRACE was", folder);
  std::vector<RankFile> files;
  std::map<std::string, u32> members;  // of a communicator
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error) || !is_of_a_rank(entry.path())) continue;
    WEFT_ASSIGN(RankFile file, read_head(entry.path().string()));
    ++members[file.communicator];
    files.push_back(std::move(file));
  }
  if (files.empty())
    return fail(Code::invalid_argument,
                "{} holds no trace of a rank: ranks started with WEFT_TRACE={} write them when "
                "they destroy their communicators",
                folder, folder);
  std::sort(files.begin(), files.end(), [&](const RankFile& a, const RankFile& b) {
    const u32 of_a = members[a.communicator], of_b = members[b.communicator];
    if (of_a != of_b) return of_a > of_b;
    return std::tie(a.communicator, a.rank) < std::tie(b.communicator, b.rank);
  });
  return files;
}

std::map<std::string, i64> align(const std::vector<RankFile>& files) {
  // When the first rank of each host had met the others, by communicator in the order of files.
  std::vector<std::map<std::string, i64>> meetings;
  std::map<std::string, std::size_t> place;
  for (const RankFile& file : files) {
    const auto [at, is_new] = place.try_emplace(file.communicator, meetings.size());
    if (is_new) meetings.emplace_back();
    const auto [left, first] = meetings[at->second].try_emplace(file.host, file.origin);
    if (!first) left->second = std::min(left->second, file.origin);
  }
  std::map<std::string, i64> shift;
  // Meetings with a host that is aligned already come first.
  while (!meetings.empty()) {
    const auto knows = [&](const auto& meeting) {
      return std::any_of(meeting.begin(), meeting.end(),
                         [&](const auto& host) { return shift.count(host.first) > 0; });
    };
    auto next = std::find_if(meetings.begin(), meetings.end(), knows);
    if (next == meetings.end()) next = meetings.begin();
    i64 met_at = 0;
    for (const auto& [host, left] : *next)
      if (const auto known = shift.find(host); known != shift.end()) {
        met_at = left + known->second;
        break;
      }
    for (const auto& [host, left] : *next) shift.try_emplace(host, met_at - left);
    meetings.erase(next);
  }
  return shift;
}

Result<u64> merge(const std::vector<RankFile>& files, std::ostream& to) {
  const auto shift = align(files);
  std::map<std::string, u32> communicators;
  for (const RankFile& file : files)
    communicators.try_emplace(file.communicator, u32(communicators.size()));
  constexpr u32 ranks_apart = 1'000'000;  // process ids of one communicator and the next
  u64 steps = 0;
  bool first = true;
  to << "{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [\n";
  for (const RankFile& file : files) {
    const u32 place = communicators[file.communicator];
    const auto write = [&](Json& event) {
      event["pid"] = place * ranks_apart + file.rank;
      if (event.contains("ts"))
        event["ts"] = (double(event["ts"]) * 1e3 + double(shift.at(file.host))) / 1e3;
      steps += event.contains("args") && event["args"].contains("slice");
      if (communicators.size() > 1 && event["name"] == "process_name")
        event["args"]["name"] = fmt::format("{} of communicator {}",
                                            std::string(event["args"]["name"]), file.communicator);
      to << (first ? "" : ",\n") << event;
      first = false;
    };
    try {
      WEFT_TRY(read(file.path, write));
    } catch (const Json::exception& error) {  // of an event that is not as it should be
      return fail(Code::invalid_argument, "{}: {}", file.path, error.what());
    }
  }
  to << "\n]}\n";
  return steps;
}

}  // namespace weft::cli
