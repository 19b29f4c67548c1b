// The Bootstrap over TCP: a binomial tree of connections, contributions up, results down.
//
// A joining rank asks the root for its place in the tree over a connection that lives for one
// question, then connects to its parent and stays connected. The tree grows in the order of arrival
// (see Roster). In a collective every contribution passes up as soon as it comes, so the root knows
// exactly who is missing; blobs pass down the same way. The first failure anywhere floods the tree
// as one sentence, and every rank returns it. Lifetime: the sockets close with the object; a rank
// that closes while others are in a collective fails them. Threads: one at a time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/call.hpp"
#include "bootstrap/counters.hpp"
#include "bootstrap/door.hpp"
#include "bootstrap/link.hpp"
#include "bootstrap/roster.hpp"

namespace weft::bootstrap {

// Where and how a job meets.
struct Rendezvous {
  Secret secret;
  std::vector<Address> root;         // in the order in which to try them
  bool may_come_later = false;       // the root may not be listening yet
  std::optional<Listener> listener;  // set on the rank that is the root
};

class TreeBootstrap final : public Bootstrap {
 public:
  static Result<std::unique_ptr<TreeBootstrap>> join(Rendezvous rendezvous, u32 rank, u32 ranks,
                                                     Deadline deadline);

  u32 rank() const override { return self_.rank; }
  u32 ranks() const override { return self_.ranks; }
  const Secret& secret() const override { return secret_; }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline deadline) override;
  Status barrier(Deadline deadline) override;

  const Counters& counters() const { return counters_; }

 private:
  enum class Kind : u8 { join = 1, exchange, barrier };
  // One collective call under way.
  struct Round {
    Kind kind;
    TimePoint began;
    Deadline deadline;
    std::vector<std::string> blobs;  // by rank
    Roster::Heard heard;             // on the root
    u32 contributions = 0;
    bool done = false;
    bool impatient = false;  // past the deadline, waiting a moment for the root's sentence
  };

  // A rank that cannot reach its parent, the accused, and waits to be told who is to blame.
  struct Complaint {
    Guest by;
    u32 accused;
  };

  TreeBootstrap(const Hello& self, const Secret& rendezvous) : self_(self), secret_(rendezvous) {}

  Status become_root(Rendezvous rendezvous, Deadline deadline);
  Status become_member(const Rendezvous& rendezvous, Deadline deadline);
  Error complain(const Call& root, const Secret& rendezvous, Error error);

  Result<std::vector<std::string>> run(Kind kind, const std::string& blob, Deadline deadline);
  void pump(Round& round);
  void receive_guest(Round& round, Guest guest);
  void adopt(Guest guest);
  void handle(Round& round, const Link& from, const Frame& frame);
  void contribute(Round& round, const std::string& payload);
  void close_door();  // and tells of strangers
  void hurry(Round& round);
  void watch_deadline(Round& round);
  void sleep(const Round& round);
  Error whom_to_blame(const Round& round, Duration waited) const;
  bool flushed() const;
  std::string name_of(Kind kind) const;
  template <class Function>
  void for_each_link(Function function);
  void send_down(const Encoded& frame);

  // Everybody who can be told is told; later calls return it as well.
  void fail_job(Error error);
  Error farewell();
  bool all_told() const;

  Hello self_;
  Secret secret_;
  u32 position_ = 0;
  std::array<std::byte, 32> session_{};
  Counters counters_;
  std::optional<Door> door_;           // while ranks may still come
  std::optional<Roster> roster_;       // on the root
  std::vector<Complaint> complaints_;  // on the root
  std::optional<Link> parent_;
  std::vector<Link> children_;
  u32 sequence_ = 0;
  std::optional<Error> failure_;
};

}  // namespace weft::bootstrap
