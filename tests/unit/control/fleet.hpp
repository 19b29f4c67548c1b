// Control nodes of a whole job under simulated time: links with delays drawn from a seed, processes
// that die, freeze, wake and leave.
//
// What a node asks of its surroundings is carried out here; nothing is real. Threads: one.
#pragma once
#include <functional>
#include <memory>
#include <random>

#include "control/node.hpp"

namespace weft::testing {

using namespace control;

class Fleet {
 public:
  class Ship final : public Surroundings {
   public:
    Ship(Fleet& fleet, Process self, u32 processes, Duration timeout)
        : node(Node::Options{.self = self, .processes = processes, .timeout = timeout}),
          fleet_(fleet),
          self_(self) {}
    void send(Process to, const Message& message) override { fleet_.carry(self_, to, message); }
    void dial(Process to) override { fleet_.dial(self_, to); }
    void drop(Process to) override { fleet_.cut(self_, to); }
    std::pair<Fate, std::string> examine(Process silent) override {
      return {fleet_.is_blocked(self_, silent) ? Fate::unreachable : Fate::frozen, "silent"};
    }
    std::string describe(Process p) override { return "process " + std::to_string(p); }
    void fell(const Down& down) override { fallen.push_back(down); }
    void judged(const Verdict& verdict) override { verdicts.push_back(verdict); }
    void asked(const Ask& ask) override { fleet_.answer(self_, ask); }
    void surveyed(const Survey& survey) override { surveys.push_back(survey); }
    void recorded(const Survey&) override {}
    void gathered(const Gathered& result) override { results.push_back(result); }
    void lacked(const Lacking& lacking) override { lacks.push_back(lacking); }

    struct Held {
      explicit Held(const Node::Options& with) : options(with) {}
      Node::Options options;
      std::unique_ptr<Node> node;
    } node;
    std::vector<Down> fallen;
    std::vector<Verdict> verdicts;
    std::vector<Survey> surveys;
    std::vector<Gathered> results;
    std::vector<Lacking> lacks;
    std::optional<Entry> ledger;   // its answer to whoever asks; none: it does not
    bool answers_nothing = false;  // it does, and has no rank in the communicator

   private:
    Fleet& fleet_;
    Process self_;
  };

  Fleet(u32 processes, u32 seed, Duration timeout = std::chrono::seconds(10));
  Node& node(Process p) { return *ships_[p]->node.node; }
  Ship& ship(Process p) { return *ships_[p]; }
  TimePoint now() const { return now_; }
  u32 size() const { return u32(ships_.size()); }

  void leave(Process p);  // also before its turn to be linked, as a process does
  void kill(Process p);
  void freeze(Process p) { state_[p] = State::frozen; }
  void wake(Process p);
  void sever(Process a, Process b);  // their link ends, and can be made again
  void block(Process a, Process b) { blocked_.insert(std::minmax(a, b)); }  // nothing passes
  bool is_blocked(Process a, Process b) const { return blocked_.contains(std::minmax(a, b)); }
  void run(Duration duration);
  bool alive(Process p) const { return state_[p] == State::alive; }
  u64 messages() const { return messages_; }

 private:
  enum class State { alive, frozen, dead };
  struct Event {
    TimePoint at;
    u64 order;
    Process where;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };
  using Pair = std::pair<Process, Process>;
  Duration delay();
  void start(Process p);
  void later(Process where, Duration after, std::function<void()> what);
  void in_order(Process from, Process to, std::function<void()> what);
  void carry(Process from, Process to, const Message& message);
  void dial(Process from, Process to);
  void cut(Process from, Process to);
  void answer(Process self, const Ask& ask);
  void deliver(Process where, std::function<void()> what);

  const Duration timeout_;
  std::vector<std::unique_ptr<Ship>> ships_;
  std::vector<State> state_;
  std::vector<std::vector<std::function<void()>>> stuck_;  // of the frozen: what waits for them
  std::vector<TimePoint> next_tick_;
  std::set<Pair> up_;  // links
  std::set<Pair> blocked_;
  std::map<Pair, TimePoint> last_;  // arrivals stay in order
  std::vector<Event> events_;       // a heap
  std::mt19937 random_;
  TimePoint now_{};
  u64 order_ = 0, messages_ = 0;
};

}  // namespace weft::testing
