#include "runtime/timeline.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

namespace weft::runtime {
namespace {

using executor::Timeline;
using Json = nlohmann::ordered_json;

constexpr u32 rows_of_a_lane = 1000;  // thread ids: those of calls first, then a thousand a lane

double microseconds(i64 nanoseconds) { return double(nanoseconds) / 1e3; }

// Gives events of one lane the lowest row that is free; they come in the order of their begins.
class Rows {
 public:
  u32 take(i64 begin, i64 end) {
    const auto free = std::find_if(busy_until_.begin(), busy_until_.end(),
                                   [begin](i64 until) { return until <= begin; });
    const u32 row = u32(free - busy_until_.begin());
    if (free == busy_until_.end()) busy_until_.push_back(0);
    busy_until_[row] = end;
    return std::min(row, rows_of_a_lane - 1);
  }

 private:
  std::vector<i64> busy_until_;
};

class Writer {
 public:
  Writer(std::ostream& to, const TimelineOf& rank) : to_(to), rank_(rank) {}

  void begin(const Timeline& timeline) {
    const Json about = {{"rank", rank_.rank},           {"ranks", rank_.ranks},
                        {"host", rank_.host},           {"node", rank_.node},
                        {"origin_ns", rank_.origin},    {"communicator", rank_.communicator},
                        {"dropped", timeline.dropped()}};
    to_ << "{\"displayTimeUnit\": \"ns\",\n\"otherData\": " << about << ",\n\"traceEvents\": [\n";
    name("process_name", 0, fmt::format("rank {} (node {})", rank_.rank, rank_.node));
  }
  void end() { to_ << "\n]}\n"; }

  void call(u32 number, const Timeline::Entry& first, i64 begin, i64 end) {
    const u32 thread = thread_of(0, "calls", begin, end);
    put({{"ph", "X"},
         {"pid", rank_.rank},
         {"tid", thread},
         {"ts", microseconds(begin)},
         {"dur", microseconds(end - begin)},
         {"cat", "call"},
         {"name", fmt::format("{}, call {}", schedule::name_of(first.kind), number)},
         {"args", {{"call", number}}}});
  }

  void step(const Timeline::Entry& e) {
    const std::string lane = fmt::format("lane {}", e.lane);
    const u32 thread = thread_of(1 + e.lane, lane, e.issued, e.retired);
    const bool sends = e.verb == schedule::Verb::send;
    std::string what = name_of(e.verb);
    if (e.peers) what += fmt::format(" {} {}", sends ? "to" : "from", e.peer);
    if (e.peers > 1) what += fmt::format(" and {} more", e.peers - 1);
    const char* const where = !e.peers                ? "local"
                              : rank_.in_node(e.peer) ? "in node"
                                                      : "between nodes";
    put({{"ph", "X"},
         {"pid", rank_.rank},
         {"tid", thread},
         {"ts", microseconds(e.issued)},
         {"dur", microseconds(e.retired - e.issued)},
         {"cat", where},
         {"name", fmt::format("{}, slice {}, {} B", what, e.slice, e.bytes)},
         {"args",
          {{"call", e.call},
           {"slice", e.slice},
           {"bytes", e.bytes},
           {"step", e.step},
           {"frame", e.frame},
           {"port", e.port},
           {"level", e.level},
           {"wait_us", microseconds(e.heard - e.issued)}}}});
  }

 private:
  u32 thread_of(u32 lane, const std::string& title, i64 begin, i64 end) {
    const u32 row = rows_[lane].take(begin, end), thread = lane * rows_of_a_lane + row;
    if (named_.insert(thread).second) {
      name("thread_name", thread, row ? fmt::format("{}, row {}", title, row + 1) : title);
      put({{"ph", "M"},
           {"pid", rank_.rank},
           {"tid", thread},
           {"name", "thread_sort_index"},
           {"args", {{"sort_index", thread}}}});
    }
    return thread;
  }
  void name(const char* what, u32 thread, const std::string& is) {
    put({{"ph", "M"},
         {"pid", rank_.rank},
         {"tid", thread},
         {"name", what},
         {"args", {{"name", is}}}});
  }
  void put(const Json& event) {
    to_ << (first_ ? "" : ",\n") << event;
    first_ = false;
  }

  std::ostream& to_;
  const TimelineOf& rank_;
  std::map<u32, Rows> rows_;  // by lane + 1; 0: calls
  std::set<u32> named_;       // threads
  bool first_ = true;
};

struct Span {
  const Timeline::Entry* first;
  i64 begin, end;
};

}  // namespace

void write(std::ostream& to, const TimelineOf& rank, const Timeline& timeline) {
  std::vector<Timeline::Entry> entries = timeline.entries();
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.issued < b.issued; });
  std::map<u32, Span> calls;
  for (const Timeline::Entry& e : entries) {
    Span& span = calls.try_emplace(e.call, Span{&e, e.issued, e.retired}).first->second;
    span.end = std::max(span.end, e.retired);
  }
  Writer writer(to, rank);
  writer.begin(timeline);
  for (const auto& [number, span] : calls) writer.call(number, *span.first, span.begin, span.end);
  for (const Timeline::Entry& e : entries) writer.step(e);
  writer.end();
}

}  // namespace weft::runtime
