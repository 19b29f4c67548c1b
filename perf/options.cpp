#include "perf/options.hpp"

#include <getopt.h>

#include <cctype>
#include <cstring>

#include "perf/nearest.hpp"
#include "perf/option_table.hpp"

namespace weft::perf {
namespace {

std::vector<const OptionEntry*> all_entries() {
  std::vector<const OptionEntry*> entries;
  for (const OptionEntry& entry : theirs()) entries.push_back(&entry);
  for (const OptionEntry& entry : ours()) entries.push_back(&entry);
  return entries;
}

constexpr int first_long_value = 1 << 10;  // above every letter; getopt returns it plus the index

tl::unexpected<Failure> unknown(const std::string& word,
                                const std::vector<const OptionEntry*>& entries) {
  std::vector<std::string> names;
  std::string near;
  for (const OptionEntry* entry : entries) {
    names.push_back(fmt::format("--{}", entry->name));
    if (word.size() == 2 && std::tolower(entry->letter) == std::tolower(word[1]))
      near = fmt::format("-{},--{}", entry->letter, entry->name);
  }
  if (near.empty()) near = nearest(word.substr(0, word.find('=')), names);
  if (word.size() == 2 && near.starts_with("--"))
    return fail(Exit::bad_argument, "invalid option '{}'; --help lists all", word);
  return fail(Exit::bad_argument, "invalid option '{}': did you mean '{}'? --help lists all", word,
              near);
}

// What nccl-tests repairs with a line on stderr instead of refusing.
void repair(Options& options) {
  const auto disable = [&options](int& value, std::string why) {
    value = 0;
    options.notes.push_back(std::move(why));
  };
  if (options.per_iteration != 0 && options.per_iteration != 1)
    disable(options.per_iteration,
            "per-iteration timing (-I) only supports 0=off or 1=on. Disabling.");
  if (options.per_iteration_skip < 0 || options.per_iteration_skip >= options.iterations)
    disable(options.per_iteration_skip,
            fmt::format("per-iteration skip (-K) must be between 0 and {}. Disabling.",
                        options.iterations - 1));
  if (options.per_iteration_skip && !options.per_iteration)
    disable(options.per_iteration_skip,
            "per-iteration skip (-K) requires per-iteration timing (-I 1). Disabling.");
}

// What is compared with what.
Status contenders_fit(const Options& options) {
  const bool has_peer = !options.backend.empty() || !std::ranges::all_of(options.compare, is_own);
  if (options.rounds < least_rounds)
    return fail(Exit::bad_argument, "invalid value '{}' for 'rounds': at least {}", options.rounds,
                least_rounds);
  if (has_peer && options.ranks_per_process() != 1)
    return fail(Exit::bad_argument,
                "a peer has one rank a process: start -t times -g processes instead");
  if (!options.compare.empty() + !options.backend.empty() + options.sweep_algorithms > 1)
    return fail(Exit::bad_argument,
                "of 'backend', 'compare' and 'sweep-algorithms' a run takes one");
  return {};
}

Result<Options> settled(Options options) {
  if (options.sizes.minimum > options.sizes.maximum)
    return fail(Exit::bad_argument, "invalid sizes for 'minbytes' and 'maxbytes': {} > {}",
                options.sizes.minimum, options.sizes.maximum);
  if (options.sizes.factor <= 1 && options.sizes.step == 0)
    return fail(Exit::bad_argument,
                "invalid size specified for 'stepbytes': 0 never reaches 'maxbytes'; -N repeats");
  if (options.average > 3)
    return fail(Exit::bad_argument, "invalid value '{}' for 'average': 0 to 3", options.average);
  if (options.offset_bytes > 15)
    return fail(Exit::bad_argument, "invalid value '{}' for 'offset': 0 to 15 bytes",
                options.offset_bytes);
  PERF_TRY(contenders_fit(options));
  repair(options);
  return options;
}

}  // namespace

std::string module_of(const std::string& name) { return name.substr(0, name.find(':')); }

bool is_own(const std::string& name) {
  constexpr std::string_view own[] = {"fast", "grouped", "bf16", "unaligned"};
  return std::ranges::find(own, name) != std::end(own);
}

Result<Options> parse_options(int count, const char* const* words) {
  const auto entries = all_entries();
  std::string letters = ":";  // tells a missing value from an unknown option
  std::vector<option> longs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool has_value = *entries[i]->value != '\0';
    if (entries[i]->letter)
      letters += fmt::format("{}{}", entries[i]->letter, has_value ? ":" : "");
    longs.push_back({entries[i]->name, has_value ? required_argument : no_argument, nullptr,
                     first_long_value + static_cast<int>(i)});
  }
  longs.push_back({});

  Options options;
  std::vector<char*> arguments;  // getopt permutes the pointers, never the words
  for (int i = 0; i < count; ++i) arguments.push_back(const_cast<char*>(words[i]));
  arguments.push_back(nullptr);
  optind = 0;  // glibc: start afresh
  opterr = 0;
  int found = 0;
  while ((found = getopt_long(count, arguments.data(), letters.c_str(), longs.data(), nullptr)) !=
         -1) {
    if (found == ':')
      return fail(Exit::bad_argument, "option '{}' needs a value", arguments[optind - 1]);
    if (found == '?') {
      const bool is_letter = optopt != 0 && optopt < first_long_value;
      return unknown(is_letter ? fmt::format("-{}", static_cast<char>(optopt))
                               : std::string(arguments[optind - 1]),
                     entries);
    }
    const OptionEntry* entry = nullptr;
    if (found >= first_long_value) entry = entries[found - first_long_value];
    for (const OptionEntry* other : entries)
      if (!entry && other->letter == found) entry = other;
    PERF_TRY(entry->set(options, *entry, optarg));
    if (options.help) return options;
  }
  if (optind < count)
    return fail(Exit::bad_argument, "'{}' is no option; --help lists all", arguments[optind]);
  return settled(std::move(options));
}

std::string usage(const std::string& program) {
  const auto lines = [](std::span<const OptionEntry> entries) {
    std::string text;
    for (const OptionEntry& entry : entries) {
      const std::string letter = entry.letter ? fmt::format("-{},", entry.letter) : "";
      const std::string left = fmt::format("  {:3}--{} {}", letter, entry.name, entry.value);
      text += left.size() < 44 ? fmt::format("{:<44}{}\n", left, entry.help)
                               : fmt::format("{}\n{:<44}{}\n", left, "", entry.help);
    }
    return text;
  };
  return fmt::format(
      "USAGE: {} [options]\n\nOptions of nccl-tests (default in brackets):\n{}\n"
      "Options of Weft:\n{}",
      program, lines(theirs()), lines(ours()));
}

}  // namespace weft::perf
