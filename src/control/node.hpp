// One process's part in the control tree of a job: a state machine without sockets or clocks.
//
// What it is told (a link is up, it ended, a message came, time passed) and what it asks for
// (Surroundings) is all there is, so the whole tree runs in a test under simulated time. Beats go
// both ways on every link; who is silent for the timeout, or whose link ends, is suspected; the
// root decides, and everybody hears its decisions in one order. What has gone up and is not decided
// yet is kept, and said again to a new parent. Threads: one at a time.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "base/clock.hpp"
#include "control/diagnose.hpp"
#include "control/message.hpp"

namespace weft::control {

class Surroundings {
 public:
  virtual void send(Process to, const Message& message) = 0;  // over a link that is up
  // Connects; ends in linked, unreached, declined or departed. While one is under way more are no
  // news.
  virtual void dial(Process to) = 0;
  virtual void drop(Process to) = 0;  // the link, once what was sent has left
  // A process that has been silent: frozen or unreachable, and why one thinks so.
  virtual std::pair<Fate, std::string> examine(Process silent) = 0;
  virtual std::string describe(Process process) = 0;  // "process 4711 on node7"

  virtual void fell(const Down& down) = 0;  // decided
  virtual void judged(const Verdict& verdict) = 0;
  virtual void asked(const Ask& ask) = 0;           // to be answered by Node::answer
  virtual void surveyed(const Survey& survey) = 0;  // wanted by somebody
  virtual void recorded(
      const Survey& survey) = 0;  // at the root: the ledgers at the end of a communicator
  virtual void gathered(const Gathered& gathered) = 0;
  virtual void lacked(const Lacking& lacking) = 0;

 protected:
  ~Surroundings() = default;
};

class Node {
 public:
  struct Options {
    Process self = 0, processes = 1;
    Duration timeout = std::chrono::seconds(10);
    Duration beat() const { return timeout / 5; }
  };
  Node(const Options& options, Surroundings& around);
  void start(TimePoint now);

  // ---- links
  // Is a link with this process of use? Asked before one is accepted.
  bool wants(Process peer) const;
  void linked(Process peer, TimePoint now);
  // `is_proof`: only the end of the process ends it. Else it is called again first.
  void ended(Process peer, const std::string& why, bool is_proof, TimePoint now);
  void unreached(Process peer, Fate fate, const std::string& why, TimePoint now);
  void declined(Process peer);
  void departed(Process peer, TimePoint now);  // says that it has left
  void received(Process from, Message message, TimePoint now);
  // Beats, silence, what is due. To be called before what came is looked at. Returns when next.
  TimePoint tick(TimePoint now);

  // ---- what this process has to say
  void report(Report report, TimePoint now) { up(std::move(report), now); }
  void inquire(Inquire inquiry, TimePoint now) { up(std::move(inquiry), now); }
  void contribute(Contribution part, TimePoint now) { up(std::move(part), now); }
  // Who is late for an exchange: answered by Surroundings::lacked, or not at all.
  void inquire(Lacking question, TimePoint now) { up(std::move(question), now); }
  void answer(Answer answer, TimePoint now) { up(std::move(answer), now); }
  void leave(TimePoint now);  // has destroyed its communicators
  void exit();                // the process ends, perhaps without having done so

  // At the root: has the ledgers of all ranks put on record, as they stood at the verdict.
  void record(CommId comm, const Members& members, const std::string& verdict, TimePoint now);

  // What was decided about a process that is lost.
  Down down_of(Process process) const {
    const auto why = whys_.find(process);
    return {process, fates_[process], why == whys_.end() ? std::string() : why->second};
  }
  Fate fate(Process process) const { return fates_[process]; }
  bool is_root() const { return is_root_; }
  std::optional<Process> parent() const { return parent_; }
  // Has left, and nobody is connected through it.
  bool is_done() const;
  // Nobody is on his way who would take the end of this process for the cause of what he hears.
  bool expects_nobody() const;
  // Has told somebody that it has left, or nobody is there to be told.
  bool has_said_goodbye() const { return is_root_ || goodbye_said_; }

 private:
  struct Link {
    TimePoint heard, said, since;
  };
  struct Expected {
    TimePoint at;            // when to call it
    bool elsewhere = false;  // it had another parent when it was called last
  };
  // What was said upwards and waits for a decision: type, and what tells it from others.
  using Key = std::tuple<std::size_t, u64, u64, u32>;

  void up(Message message, TimePoint now);
  void down(const Message& message);  // to all children
  void tell_history(Process peer);
  static std::optional<Key> key_of(const Message& message);
  void settle_reports_of(Process lost);
  void suspect(Process peer, Fate fate, const std::string& why, TimePoint now);
  void find_parent(TimePoint now);
  void become_root(TimePoint now);
  void expect_children(TimePoint now);
  void hurry(TimePoint now);
  void bury_the_silent(TimePoint now);
  void send(Process to, const Message& message);

  // From below, or of our own: at the root. root.cpp
  void decide(const Message& message, TimePoint now);
  void resign(TimePoint now);
  static Verdict opinion(const Report& report, const Diagnosis& found);
  void decide_report(const Report& report, TimePoint now);
  void decide_inquiry(const Inquire& inquiry, TimePoint now);
  void take_answer(const Answer& answer, TimePoint now);
  void doubt(const Down& told, TimePoint now);
  void take_part(const Contribution& part);
  void complete(CommId comm, u64 exchange);
  void recheck_exchanges();
  void take_question(const Lacking& question);
  TimePoint decide_due(TimePoint now);
  TimePoint decide_doubts(TimePoint now);
  u64 open_survey(CommId comm, u64 call, const Members& members, TimePoint now);
  void close_survey(u64 ticket, TimePoint now);
  void judge(Verdict verdict);
  bool has_lost(const Members& members) const;

  // Decided above, or by us as the root.
  void pass_down(const Message& message, TimePoint now);
  void apply(const Seek& seek, TimePoint now);
  void apply(const Seen& seen);
  void tell(const Survey& survey);
  void apply(const Down& down, TimePoint now);
  void apply(const Left& left, TimePoint now);
  void note_left(const std::vector<Process>& processes);
  void tell_leavers();
  void apply(const Verdict& verdict);
  void apply(const Gathered& gathered);

  const Options options_;
  Surroundings& around_;
  std::vector<Fate> fates_;
  std::map<Process, std::string> whys_;  // of those that are lost
  std::map<Process, Link> links_;
  std::optional<Process> parent_, dialing_;
  bool is_root_ = false, has_left_ = false, goodbye_said_ = false;
  TimePoint last_tick_, look_for_parent_at_ = TimePoint::max();
  std::set<Process> unfit_;               // as parents: dialled in vain since the last one
  std::map<Process, Expected> expected_;  // children that have not come
  std::map<Process, TimePoint> sought_;   // until when it is of interest that one is heard of
  std::map<CommId, std::set<Process>> curious_;  // children that have asked for a survey
  std::map<Key, Message> pending_;
  std::map<CommId, Verdict> verdicts_;
  std::deque<CommId> verdict_order_;  // oldest first: the oldest are forgotten
  std::deque<Gathered> results_;

  // At the root only.
  struct Case {
    Report report;
    TimePoint due;  // max: when the ledgers are there
    u64 ticket = 0;
    std::optional<Verdict> opinion = {};  // once they are
  };
  struct Open {
    Survey survey;
    std::set<Process> awaited;
    TimePoint due, latest;
    bool accuse = false, told = false, judges = false, records = false;
  };
  struct Exchange {
    Members members;
    std::map<u32, std::string> blobs;
  };
  std::map<CommId, Case> cases_;
  std::map<u64, Open> surveys_;  // by ticket
  struct Doubt {
    Down told;
    TimePoint due;
  };
  std::map<Process, Doubt> doubts_;  // who may be lost, unless somebody has heard of it
  u64 tickets_ = 0;
  std::map<std::pair<CommId, u64>, Exchange> exchanges_;
  std::vector<Process> leavers_;  // to be told of
  TimePoint leavers_due_ = TimePoint::max();
};

// Remembers a result, and forgets those that nobody can ask for any more.
void keep(std::deque<Gathered>& results, const Gathered& result);

}  // namespace weft::control
