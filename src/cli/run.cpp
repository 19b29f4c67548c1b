#include <fmt/format.h>

#include <algorithm>

#include "cli/nearest.hpp"
#include "cli/subcommand.hpp"

namespace weft::cli {
namespace {

CLI::App* chosen(CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? &app : subcommands.front();
}

// What could have stood in the place of a word that nobody knows.
std::vector<std::string> candidates(CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : chosen(app)->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else if (chosen(app) == &app) {
    for (const CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; }))
      names.push_back(subcommand->get_name());
  }
  return names;
}

int misused(CLI::App& app, const CLI::ParseError& error) {
  const std::string command = chosen(app) == &app ? "weft" : "weft " + chosen(app)->get_name();
  std::string what = error.what();
  if (const auto extra = app.remaining(true); !extra.empty()) {
    const std::string word = extra.front().substr(0, extra.front().find('='));
    what = fmt::format("there is no {} '{}'{}", word.starts_with("-") ? "option" : "command", word,
                       did_you_mean(word, candidates(app, word)));
  }
  fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", command, what, command);
  return misuse;
}

}  // namespace

int complain(const Error& error) {
  fmt::print(stderr, "weft: {}\n", error.text);
  return error.code == Code::invalid_argument ? misuse : failure;
}

int run(std::vector<std::string> arguments) {
  CLI::App app("Schedules of collectives: list, show, prove; and what a job's start needs.",
               "weft");
  app.require_subcommand(1);
  int exit_code = success;
  for (auto add : {add_verify, add_algorithms, add_show, add_simulate, add_status, add_trace,
                   add_unique_id, add_env, add_version})
    add(app, exit_code);
  try {
    std::reverse(arguments.begin(), arguments.end());  // the parser takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", chosen(app)->help());
  } catch (const CLI::ParseError& error) { return misused(app, error); }
  return exit_code;
}

}  // namespace weft::cli
