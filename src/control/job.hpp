// One job in this process: its node of the control tree, the links of that, and its communicators.
//
// Lifetime: from when the first communicator is made until the last is destroyed and no other
// process is connected through this one. Threads: under the hub's lock.
#pragma once
#include <functional>

#include "control/caller.hpp"
#include "control/group.hpp"
#include "control/json.hpp"
#include "control/node.hpp"

namespace weft::control {

struct JobPlan {
  u64 id = 0;
  Secret key{Secret::Bytes{}};
  Process self = 0;
  std::vector<Place> processes;
  Duration timeout = std::chrono::seconds(10);
};

class Job final : private Surroundings {
 public:
  explicit Job(JobPlan plan);
  void start(TimePoint now);

  const JobPlan& plan() const { return plan_; }
  // ---- ranks of this process
  void add(CommId comm, const Members& members, u32 rank, Subject& subject, TimePoint now);
  void remove(CommId comm, u32 rank, TimePoint now);
  void report(Report report, TimePoint now);
  // Everybody's part by rank, once it is there.
  void contribute(Contribution part, TimePoint now);
  // Asks who is late for an exchange; their ranks, once that is known.
  void ask_who_lacks(CommId comm, u64 exchange, TimePoint now);
  const std::vector<u32>* lacking(CommId comm, u64 exchange) const;
  const Gathered* result(CommId comm, u64 exchange) const;
  const Error* verdict(CommId comm) const;  // none yet: null
  Fate fate(Process process) const { return node_.fate(process); }
  // Asks all processes how the ranks of all communicators here stand.
  void survey(TimePoint now);
  const std::map<CommId, Survey>& surveys() const { return surveys_; }
  bool is_surveyed() const { return surveys_.size() >= groups_.size(); }
  std::string describe(Process process) override;

  // ---- the hub's loop
  Welcome welcome(Process from) const;
  void adopt(Process from, Line line, TimePoint now);
  void watch(std::vector<pollfd>& polled) const;
  TimePoint step(TimePoint now);  // moves all that can be moved; returns when next
  void exit();
  bool is_done(TimePoint now) const {
    return groups_.empty() && node_.is_done() && is_flushed() && is_heard(now);
  }
  // Whoever is still on his way to this process must hear of its verdict before he misses it.
  bool is_heard(TimePoint now) const { return node_.expects_nobody() || now >= linger_until_; }
  bool is_flushed() const;
  // Children first: who leaves before them leaves them to find out whether it did.
  bool has_said_goodbye() const { return !groups_.empty() || node_.is_done(); }
  // Lines for stderr and records for files, to be written without the lock.
  struct Note {
    std::string line;  // empty: none
    std::optional<Survey> ledgers = {};
    std::string job = {};
    std::vector<Place> processes = {};  // of a job that begins
  };
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }

 private:
  void send(Process to, const Message& message) override;
  void dial(Process to) override;
  void drop(Process to) override;
  std::pair<Fate, std::string> examine(Process silent) override;
  void fell(const Down& down) override;
  void judged(const Verdict& verdict) override;
  void asked(const Ask& ask) override;
  void surveyed(const Survey& survey) override {
    if (groups_.contains(survey.comm)) surveys_[survey.comm] = survey;
  }
  void recorded(const Survey& survey) override { notes_.push_back({{}, survey, hex(plan_.id)}); }
  void gathered(const Gathered& gathered) override;
  void lacked(const Lacking& lacking) override { lacking_ = lacking; }

  // How something was seen, and by whom.
  std::string seen_from_here(const std::string& what);
  void condemn(Group& group, Error verdict, TimePoint now);
  void link_now(TimePoint now);
  void step_lines(TimePoint now);
  void step_callers(TimePoint now);
  void watch_groups(TimePoint now);
  void answer_due(TimePoint now);

  JobPlan plan_;
  Node node_;
  std::map<Process, Line> lines_;
  std::vector<Line> leaving_;  // dropped, but not all has left yet
  std::map<Process, Caller> callers_;
  std::map<CommId, Group> groups_;
  std::map<CommId, Survey> surveys_;
  std::deque<Gathered> results_;
  std::optional<Lacking> lacking_;  // the last that was told
  struct Due {
    Ask ask;
    TimePoint at;
  };
  std::vector<Due> due_;  // answers, once whoever drives has had time to publish
  std::vector<Note> notes_;
  TimePoint link_at_ = TimePoint::max();  // max: it has begun
  TimePoint last_step_ = Clock::now(), next_watch_, linger_until_ = TimePoint::min();
  bool exiting_ = false;
};

}  // namespace weft::control
