// `weft trace`: what WEFT_TRACE recorded, made ready to be looked at.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "cli/subcommand.hpp"
#include "cli/trace_merge.hpp"

namespace weft::cli {
namespace {

struct TraceChoice {
  std::string folder, out = "trace.json";
};

Result<int> merge_into(const TraceChoice& choice) {
  WEFT_ASSIGN(const auto files, find_rank_files(choice.folder));
  std::ofstream file(choice.out);
  if (!file) return fail_errno(errno, "writing " + choice.out);
  WEFT_ASSIGN(const u64 steps, merge(files, file));
  if (!file.flush()) return fail_errno(errno, "writing " + choice.out);
  std::set<std::string> hosts, communicators;
  u64 dropped = 0;
  for (const RankFile& rank : files) {
    hosts.insert(rank.host);
    communicators.insert(rank.communicator);
    dropped += rank.dropped;
  }
  fmt::print("{}: {} steps of {} ranks, {} communicator{}, {}\n", choice.out, steps, files.size(),
             communicators.size(), communicators.size() == 1 ? "" : "s",
             hosts.size() == 1
                 ? "one clock"
                 : fmt::format("{} hosts, aligned when their ranks had met", hosts.size()));
  if (dropped) fmt::print("{} older steps had no room and are not in it\n", dropped);
  fmt::print("open it in chrome://tracing or ui.perfetto.dev\n");
  return success;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  auto choice = std::make_shared<TraceChoice>();
  auto* command = app.add_subcommand("trace", "What WEFT_TRACE recorded, for Chrome or Perfetto");
  command->require_subcommand(1);
  auto* merging = command->add_subcommand("merge", "Join the files of all ranks into one trace");
  merging->add_option("folder", choice->folder, "What WEFT_TRACE was")->required();
  merging->add_option("-o,--out", choice->out, "The file to write")->capture_default_str();
  merging->callback([choice, &exit_code] {
    const Result<int> result = merge_into(*choice);
    exit_code = result ? *result : complain(result.error());
  });
}

}  // namespace weft::cli
