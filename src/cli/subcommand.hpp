// The subcommands of `weft`: each adds itself to the command line and runs when chosen.
//
// A subcommand sets `exit_code`: 0 success, 1 what it checked is wrong or the world refused, 2 the
// command line is wrong. Threads: the main one.
#pragma once
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::cli {

enum Exit : int { success = 0, failure = 1, misuse = 2 };

void add_verify(CLI::App& app, int& exit_code);
void add_algorithms(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_trace(CLI::App& app, int& exit_code);
void add_unique_id(CLI::App& app, int& exit_code);
void add_env(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

// Parses and runs; what main() does.
int run(std::vector<std::string> arguments);

// Says what is wrong on stderr.
int complain(const Error& error);

}  // namespace weft::cli
