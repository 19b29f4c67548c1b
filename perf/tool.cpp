#include "perf/tool.hpp"

#include <cstdio>

#include "perf/combinations.hpp"
#include "perf/host.hpp"
#include "perf/run.hpp"

namespace weft::perf {
namespace {

int end_with(const Failure& failure) {
  fmt::print(stderr, "{}: Test failure: {}\n", host_name(), failure.text);
  return static_cast<int>(failure.exit);
}

}  // namespace

int run_tool(const Collective& collective, int count, char** words) {
  auto options = parse_options(count, words);
  if (!options) {
    fmt::print(stderr, "{}\n", options.error().text);
    return static_cast<int>(options.error().exit);
  }
  if (options->help) {
    fmt::print("{}", usage(collective.program));
    return static_cast<int>(Exit::success);
  }
  if (collective.reduces) {
    if (const Status fits = go_together(*options); !fits) {
      fmt::print(stderr, "{}\n", fits.error().text);
      return static_cast<int>(fits.error().exit);
    }
  }
  if (!collective.moves) {
    options->sizes = {.minimum = 0, .maximum = 0, .step = 1, .factor = 1};
    options->types = {&default_type(), 1};
    options->checks = 0;
  }
  const auto processes = Processes::from_environment();
  if (!processes) return end_with(processes.error());

  std::optional<Reporter> speaking;
  Reporter silent;
  if (processes->rank() == 0) speaking.emplace(*options, collective.program);
  Reporter& reporter = speaking ? *speaking : silent;
  reporter.open_json(std::span<const char* const>(words, count), weft_version());
  reporter.notes();
  const auto exit = Run(*processes, collective, *options, reporter).all();
  if (!exit) return end_with(exit.error());
  return static_cast<int>(*exit);
}

}  // namespace weft::perf
