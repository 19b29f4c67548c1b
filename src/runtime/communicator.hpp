// One rank's membership in a group of ranks: transports, engine, plans and outstanding requests.
//
// Made collectively through a Bootstrap; every rank learns every manifest and draws the same
// conclusions. Threads: one at a time; different communicators are independent.
#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "base/config.hpp"
#include "bootstrap/bootstrap.hpp"
#include "intranode/shm/shm.hpp"
#include "runtime/driver.hpp"
#include "runtime/manifest.hpp"
#include "runtime/oversight.hpp"
#include "runtime/planner.hpp"
#include "runtime/process.hpp"
#include "runtime/request.hpp"
#include "runtime/shared_buffers.hpp"

namespace weft::runtime {

struct Config {
  std::string node;       // empty: WEFT_NODE, or the host
  std::string algorithm;  // empty: WEFT_ALGORITHM, or chosen
  std::string order;      // empty: WEFT_ORDER
  double timeout_seconds = 600;
  bool progress_thread = false;
  bool blocking = true;
};
// What the environment says where the caller left it open.
Result<Config> complete(Config config, bool has_timeout, int progress_thread);

struct Info {
  u32 node = 0, nodes = 1, local_rank = 0, local_ranks = 1, rails = 1;
  std::string order, node_name, shape, in_node, between_nodes;
};

class Communicator {
 public:
  // `began`: when the ranks began to meet, for the log. `job`: that of the communicator from which
  // this one is split off, with the processes of the new ranks.
  static Result<std::unique_ptr<Communicator>> create(
      std::unique_ptr<bootstrap::Bootstrap> bootstrap, const Config& config, Deadline deadline,
      TimePoint began = Clock::now(), std::optional<Oversight::Job> job = {});
  ~Communicator();

  u32 rank() const { return rank_; }
  u32 ranks() const { return ranks_; }
  const Info& info() const { return info_; }
  const Config& config() const { return config_; }
  const ProcessMark& process() const { return process_; }
  // What poisoned it, if anything has. From any thread.
  std::optional<Error> error() const;
  // Ends all that is under way, at the next progress anyone makes. From any thread; never waits.
  void abort();

  // The call from its start to its end. blocking.cpp
  Status run(const Call& call);
  // Is it the last blocking call again, on the same memory? Then run_again() is enough.
  bool repeats(const Call& call) const;
  Status run_again();
  // Checks the call and hands it over; the request is done when request->operation.done().
  Result<Request*> start(const Call& call, Of of = Of::user);
  // Plans the call and keeps the plan.
  Result<std::unique_ptr<Persistent>> plan(const Call& call);
  Result<Request*> start(Persistent& persistent);
  Status release(Persistent& persistent);  // an error while it runs
  Operators& operators() { return operators_; }
  // The outcome of a request that is done; gives it back to the pool.
  Status finish(Request& request);
  void poll(Request& request);  // a little progress, if the caller's thread drives
  void set_deadline(Request& request, double seconds);
  // Waits for requests of several communicators, driving those that have no thread of their own.
  static void wait(std::span<Request* const> requests);
  // From here on nothing is started, and requests are only looked at: another thread may drive.
  void begin_leaving() { leaving_.store(true, std::memory_order_release); }
  // Waits until nothing is under way and all ranks have come, then leaves with them.
  static Status finalize(std::span<Communicator* const> communicators);
  // All of them are left together, so that one thread may hold several ranks.
  static Status close(std::span<Communicator* const> communicators);

  Result<std::string> explain(const Call& call) const;

  // A communicator of the ranks with the same colour, ordered by key and rank; null without one.
  // Collective over this one; a configuration that is an error is heard by all of the colour.
  // split.cpp
  Result<std::unique_ptr<Communicator>> split(std::optional<u32> color, i32 key,
                                              Result<Config> config);
  // A communicator of the ranks that are still there, in their order; this one can then only be
  // left. Collective over them. shrink.cpp
  Result<std::unique_ptr<Communicator>> shrink(Result<Config> config);

 private:
  Communicator(u32 rank, u32 ranks, const Config& config)
      : rank_(rank), ranks_(ranks), config_(config), operators_(ranks) {}
  // world.cpp
  Result<Manifest> introduce(bool is_split);
  Result<u64> allowed_sockets() const;
  Status conclude(const std::vector<Manifest>& manifests);
  void describe_world(const std::vector<Manifest>& manifests);
  Result<Addresses> open_transports(const Secret& job);
  Result<std::vector<channel::Route>> routes(const std::vector<Manifest>& manifests,
                                             const std::vector<Addresses>& addresses) const;
  Status oversee(std::optional<Oversight::Job> job, const std::vector<Manifest>& manifests,
                 const std::vector<Addresses>& addresses);
  std::optional<Oversight::Job> job_of(const std::vector<u32>& ranks) const;
  Duration consult(const Error& error, u32 origin, u64 call);
  void write_trace() const;
  template <class Write>
  void write_record(const config::Variable& where, const char* ending, Write write) const;

  // blocking.cpp
  bool differs_in_buffers(const Call& call) const;
  Status keep(const Call& call);
  Status rebind(const Call& call);
  void forget_kept();

  Result<Request*> take_request(const Call& call, Of of);
  Status read_recipe(const Call& call, Recipe& recipe, UserReduction& user) const;
  Status may_start() const;
  bool has_thread() const { return thread_ && !thread_->ended(); }
  bool is_driven_elsewhere() const {
    return leaving_.load(std::memory_order_acquire) || has_thread();
  }
  void take_over();
  template <class Elsewhere>
  static void wait(std::span<Request* const> requests, Elsewhere elsewhere);
  void hand_over(Request& request);
  void begin(Request& request);  // on the driving thread
  Status try_begin(Request& request);
  void bind(Request& request);  // its operation to the buffers of its call
  void share(const Call& call, executor::Operation& operation);

  const ProcessMark process_;
  const u32 rank_, ranks_;
  const Config config_;
  Secret secret_{Secret::Bytes{}};  // of the job: communicators split off take theirs from it
  u32 splits_ = 0, shrinks_ = 0;
  Operators operators_;
  Info info_;
  bool crowded_ = false;
  channel::Options channels_;
  World world_;
  u64 tcp_sockets_ = ~u64{0};                  // for each peer
  std::vector<Way> ways_;                      // to each rank
  std::string job_name_;                       // hex, equal on all ranks, for file names
  TimePoint met_at_{};                         // the end of the last exchange of the creation
  std::optional<shm::Listener> shm_listener_;  // until there is a transport
  std::unique_ptr<transport::Transport> loopback_, shm_, tcp_;
  std::unique_ptr<executor::Engine> engine_;
  std::unique_ptr<Oversight> oversight_;  // none of a single rank
  std::optional<SharedBuffers> shared_;
  std::unique_ptr<Planner> planner_;
  std::unique_ptr<executor::Waiter> waiter_;
  std::deque<Request> requests_;  // as many as were ever outstanding at once
  std::vector<Request*> spare_requests_;
  u32 unwaited_ = 0;
  Request kept_;          // of the last blocking call
  u64 kept_version_ = 0;  // of shared memory when it was made
  std::atomic<bool> leaving_{false};
  std::byte token_[cache_line_bytes] = {};  // what a barrier moves
  std::unique_ptr<ProgressThread> thread_;  // last: it ends first
};

}  // namespace weft::runtime
