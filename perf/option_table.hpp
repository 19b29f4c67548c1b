// The options as data: one line each, from which the parser, the help and the nearest word come.
//
// Lifetime: constants. Threads: any.
#pragma once
#include <span>
#include <string>

#include "perf/options.hpp"

namespace weft::perf {

struct OptionEntry {
  char letter;        // 0: long only
  const char* name;   // without dashes
  const char* value;  // what follows, "" for a flag
  const char* help;
  Status (*set)(Options& options, const OptionEntry& entry, const char* value);
};

std::span<const OptionEntry> theirs();  // nccl-tests'
std::span<const OptionEntry> ours();

}  // namespace weft::perf
