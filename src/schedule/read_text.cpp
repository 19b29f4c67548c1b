#include <algorithm>
#include <istream>
#include <optional>

#include "schedule/text.hpp"
#include "schedule/words.hpp"

namespace weft::schedule {

namespace {

constexpr u32 most_blocks = 1u << 24;  // ranks, before their number is known
constexpr std::pair<std::string_view, Verb> verbs[] = {
    {"send", Verb::send}, {"recv", Verb::recv}, {"recv_reduce", Verb::recv_reduce},
    {"copy", Verb::copy}, {"join", Verb::copy}, {"reduce", Verb::reduce}};

Buffer read_buffer(Words& words, u32 planes) {
  if (words.skip("input")) return input;
  if (words.skip("output")) return output;
  const std::string_view word = words.peek();
  for (u32 plane = 0; plane < planes; ++plane)
    if (word == fmt::format("plane{}", plane)) {
      words.take();
      return Buffer(first_plane + plane);
    }
  words.mistake(planes ? fmt::format("expected input, output or plane0 to plane{}", planes - 1)
                       : "expected input or output (the program has no planes)");
  return nowhere;
}

// Spans of a step give one number of chunks between them.
Span read_span(Words& words, const Program& program, std::optional<u32>& count) {
  Span span;
  span.buffer = read_buffer(words, program.planes);
  words.expect("[");
  span.first = words.number();
  u32 chunks = 1;
  if (words.peek().starts_with('x')) {  // "x4" is one word
    const std::string word(words.peek().substr(1));
    const bool digits =
        !word.empty() && word.size() < 10 &&
        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) words.mistake("expected xCHUNKS");
    if (digits) chunks = u32(std::stoul(word));
    words.take();
  }
  if (words.skip("by")) {
    const u64 stride = words.number(u64(1) << 31);
    if (stride == 0 || (stride & (stride - 1)))
      words.mistake("expected a power of two before this");
    if (words.good()) span.stride = u8(__builtin_ctzll(stride));
  }
  if (count.value_or(chunks) != chunks)
    words.mistake(fmt::format("expected {} chunks in every span, not {}", *count, chunks));
  count = chunks;
  words.expect("]");
  span.right = words.skip("right");
  return span;
}

void read_peers(Words& words, Step& step) {
  step.peer = words.number();
  if (words.skip("..")) {
    const u32 last = words.number();
    if (last <= step.peer || last - step.peer >= 0xffff) {
      words.mistake("expected positions FIRST..LAST, at most 65535 of them, before this");
      return;
    }
    step.fan = u16(last - step.peer + 1);
  }
  if (words.skip("fan")) step.fan = u16(words.number(0xffff));
}

Wait read_wait(Words& words, const Program& program) {
  if (words.skip("none")) return {};
  Wait wait;
  wait.lane = Lane(words.number(program.lanes ? program.lanes - 1 : 0));
  words.expect(":");
  wait.steps = words.number();
  return wait;
}

Step read_step(Words& words, const Program& program) {
  Step step;
  words.expect("lane");
  step.lane = Lane(words.number(program.lanes ? program.lanes - 1 : 0));
  const auto verb = std::find_if(std::begin(verbs), std::end(verbs),
                                 [&](const auto& v) { return v.first == words.peek(); });
  if (verb == std::end(verbs)) {
    words.mistake("expected send, recv, recv_reduce, copy, reduce or join");
    return step;
  }
  words.take();
  step.verb = verb->second;
  std::optional<u32> count;
  if (words.skip("target")) step.target = read_span(words, program, count);
  if (words.skip("source")) step.source = read_span(words, program, count);
  if (words.skip("second")) step.second = read_span(words, program, count);
  if (!count && words.skip("count")) count = words.number();
  step.count = count.value_or(0);
  const char* word = step.sends() ? "to" : step.receives() ? "from" : "peer";
  if (words.skip(word)) read_peers(words, step);
  if (words.skip("port")) step.port = u8(words.number(0xff));
  if (words.skip("level"))
    step.level = u8(words.number(std::min<std::size_t>(program.levels.size() - 1, 0xff)));
  if (words.skip("after")) step.set_wait(0, read_wait(words, program));
  if (words.skip("and")) step.set_wait(1, read_wait(words, program));
  words.expect_end();
  return step;
}

Level read_level(Words& words, const Program& program) {
  Level level;
  words.expect("level");
  words.expect("me");
  level.me = words.number();
  words.expect("ranks");
  level.rank = words.list();
  if (level.me >= level.rank.size()) words.mistake("expected 'me' to be one of the positions");
  for (u32 rank : level.rank)
    if (rank >= program.ranks) words.mistake(fmt::format("expected ranks below {}", program.ranks));
  words.expect("cuts");
  level.cut = words.list();
  u32 last = program.atoms;
  if (words.skip("of")) {
    level.atom = words.list();
    last = u32(level.atom.size());
    for (u32 atom : level.atom)
      if (atom >= program.atoms)
        words.mistake(fmt::format("expected atoms below {}", program.atoms));
  }
  words.expect_end();
  if (level.cut.size() < 2 || !std::is_sorted(level.cut.begin(), level.cut.end()) ||
      level.cut.back() > last)
    words.mistake(fmt::format("expected two or more rising cuts up to {}", last));
  return level;
}

// A list that stands on a line of its own, one number below `end` for each of `size` things; absent
// means empty.
std::vector<u32> read_line(Words& words, std::string_view name, u64 size, u64 end) {
  if (!words.next_line()) return {};
  if (words.peek() != name) {
    words.put_back();
    return {};
  }
  words.take();
  std::vector<u32> list = words.list();
  words.expect_end();
  if (words.good() && list.size() != size)
    words.mistake(fmt::format("expected {} numbers, not {}", size, list.size()));
  for (u32 value : list)
    if (value >= end) words.mistake(fmt::format("expected numbers below {}, not {}", end, value));
  return list;
}

}  // namespace

Collective read_collective(Words& words) {
  Collective collective;
  words.expect("collective");
  const auto kind = std::find_if(std::begin(all_kinds), std::end(all_kinds),
                                 [&](Kind k) { return words.peek() == name_of(k); });
  if (kind == std::end(all_kinds)) {
    words.mistake("expected the name of a collective, such as all_reduce");
    return collective;
  }
  words.take();
  collective.kind = *kind;
  words.expect("root");
  collective.root = words.number();
  if (words.skip("ranks")) collective.ranks = words.number();
  words.expect_end();
  if (words.next_line()) {
    if (words.skip("owner")) {
      collective.owner = words.list();
      words.expect_end();
    } else {
      words.put_back();
    }
  }
  return collective;
}

Tiling read_tiling(Words& words) {
  Tiling tiling;
  words.expect("tiling");
  tiling.pairs = words.skip("pairs");
  tiling.blocks = tiling.pairs || words.skip("blocks");
  if (!tiling.blocks) words.expect("vector");
  words.expect("shards");
  tiling.shards = words.number();
  words.expect("sub");
  tiling.sub = words.number();
  words.expect_end();
  const u64 atoms = u64(tiling.shards) * tiling.sub;
  if (atoms == 0 || atoms > ~0u) words.mistake("expected between 1 and 2^32 - 1 atoms");
  if (!tiling.blocks || tiling.pairs) return tiling;
  tiling.owner = read_line(words, "block", atoms, most_blocks);
  tiling.part = read_line(words, "part", atoms, atoms);
  const u64 blocks = tiling.owner.empty()
                         ? atoms
                         : u64(*std::max_element(tiling.owner.begin(), tiling.owner.end())) + 1;
  tiling.parts = read_line(words, "parts", blocks, atoms + 1);
  for (u32 atom = 0; words.good() && atom < tiling.part.size(); ++atom) {
    const u32 block = tiling.owner.empty() ? atom : tiling.owner[atom];
    if (tiling.part[atom] >= (tiling.parts.empty() ? 1 : tiling.parts[block]))
      words.mistake(fmt::format("expected atom {} to be a part that block {} has", atom, block));
  }
  return tiling;
}

Program read_program(Words& words) {
  Program program;
  words.expect("program");
  words.expect("rank");
  program.rank = words.number();
  words.expect("of");
  program.ranks = words.number();
  if (program.rank >= program.ranks) words.mistake("expected a rank below the number of ranks");
  words.expect("atoms");
  program.atoms = words.number();
  words.expect("planes");
  program.planes = u32(words.number(nowhere - first_plane));
  words.expect("lanes");
  program.lanes = u32(words.number(no_lane));
  words.expect_end();
  while (words.next_line()) {
    if (words.skip("end")) {
      words.expect_end();
      if (program.levels.empty()) words.mistake("expected a level in every program");
      return program;
    }
    if (words.peek() == "level" && program.steps.empty()) {
      program.levels.push_back(read_level(words, program));
    } else if (program.levels.empty()) {
      words.mistake("expected a level before the first step");
    } else {
      program.steps.push_back(read_step(words, program));
    }
  }
  words.mistake("expected 'end' after the last step of the program");
  return program;
}

Result<Schedule> read_schedule(std::istream& from) {
  Words words(from);
  Schedule schedule;
  words.next_line();
  schedule.collective = read_collective(words);
  words.next_line();
  schedule.tiling = read_tiling(words);
  while (words.next_line()) {
    const Program program = read_program(words);
    const u32 rank = u32(schedule.programs.size());
    if (program.rank != rank || program.atoms != schedule.tiling.atoms() ||
        (rank && program.ranks != schedule.programs[0].ranks))
      words.mistake(fmt::format("expected the program of rank {} of {} with {} atoms", rank,
                                rank ? schedule.programs[0].ranks : program.ranks,
                                schedule.tiling.atoms()));
    schedule.programs.push_back(program);
  }
  const std::size_t ranks = schedule.programs.size();
  if (!ranks || schedule.programs[0].ranks != ranks)
    words.mistake(fmt::format("expected a program for every rank, not {}", ranks));
  if (schedule.collective.root >= ranks) words.mistake("expected a root that is a rank");
  const Tiling& tiling = schedule.tiling;
  if (tiling.pairs && (tiling.shards != ranks || tiling.sub != ranks))
    words.mistake(fmt::format("expected pairs of {} ranks, not {} shards of {}", ranks,
                              tiling.shards, tiling.sub));
  const std::vector<u32>& owner = schedule.collective.owner;
  if (!owner.empty() && owner.size() != schedule.tiling.atoms())
    words.mistake("expected an owner for each atom");
  for (const auto& list : {owner, schedule.tiling.owner})
    for (u32 rank : list)
      if (rank >= ranks) words.mistake("expected owners that are ranks");
  WEFT_TRY(words.status());
  return schedule;
}

}  // namespace weft::schedule
