// The `weft` tool.
#include "cli/subcommand.hpp"

int main(int argc, char** argv) { return weft::cli::run({argv + 1, argv + argc}); }
