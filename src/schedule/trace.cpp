#include "schedule/trace.hpp"

#include <fmt/ostream.h>

#include <istream>
#include <ostream>

#include "schedule/text.hpp"
#include "schedule/words.hpp"

namespace weft::schedule {

namespace {

constexpr u64 any_number = ~u64(0);

TracedCall read_call(Words& words) {
  TracedCall call;
  words.expect("first");
  call.first_instance = words.number(any_number);
  words.expect("instances");
  call.instances = words.number(any_number);
  words.expect_end();
  words.next_line();
  call.collective = read_collective(words);
  words.next_line();
  call.program = read_program(words);
  return call;
}

Record read_record(Words& words, bool retire) {
  Record record;
  record.retire = retire;
  record.instance = words.number(any_number);
  record.step = words.number();
  record.empty = words.skip("empty");
  if (words.skip("sends")) do {
      record.sends.push_back(words.number(any_number));
    } while (words.good() && !words.peek().empty());
  words.expect_end();
  return record;
}

}  // namespace

void write(std::ostream& to, const RankTrace& trace) {
  fmt::print(to, "trace rank {} frames {}\n", trace.rank, trace.frames);
  for (const TracedCall& call : trace.calls) {
    fmt::print(to, "call first {} instances {}\n", call.first_instance, call.instances);
    write(to, call.collective);
    write(to, call.program);
  }
  for (const Record& record : trace.records) {
    fmt::print(to, "{} {} {}{}", record.retire ? "retire" : "issue", record.instance, record.step,
               record.empty ? " empty" : "");
    if (!record.sends.empty()) fmt::print(to, " sends {}", fmt::join(record.sends, " "));
    to << '\n';
  }
}

Result<RankTrace> read_trace(std::istream& from) {
  Words words(from);
  RankTrace trace;
  words.next_line();
  words.expect("trace");
  words.expect("rank");
  trace.rank = words.number();
  words.expect("frames");
  trace.frames = words.number();
  words.expect_end();
  if (trace.frames == 0) words.mistake("expected at least one frame");
  while (words.next_line()) {
    if (words.skip("call"))
      trace.calls.push_back(read_call(words));
    else if (words.skip("issue"))
      trace.records.push_back(read_record(words, false));
    else if (words.skip("retire"))
      trace.records.push_back(read_record(words, true));
    else
      words.mistake("expected call, issue or retire");
  }
  WEFT_TRY(words.status());
  return trace;
}

}  // namespace weft::schedule
