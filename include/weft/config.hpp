/**
 * @file config.hpp
 * @brief How a communicator is made, how ranks find each other, and what it tells of itself.
 *
 * Lifetime, threads: values.
 */
#pragma once
#include <array>
#include <string>

#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {
inline namespace v0 {

/** Who drives operations that are under way. */
enum class Progress : int {
  from_environment = -1,  ///< as WEFT_PROGRESS says
  caller = 0,             ///< the thread that waits or tests
  thread = 1              ///< a thread of the library, so that calls go on while you compute
};

/** The order in which float sums are formed. */
enum class Order {
  from_environment,  ///< as WEFT_ORDER says
  automatic,         ///< canonical where the shape of the nodes allows it, else shape
  canonical,         ///< the same bits whatever the message size, algorithm and split into nodes
  shape,             ///< the same bits for the same shape of nodes
  fast               ///< the same bits on all ranks and in the next run, no more
};

/** How a communicator is made; what is left out comes from the environment. */
struct Config {
  std::string node = {};       ///< equal on ranks of a node; empty: WEFT_NODE or the host
  std::string algorithm = {};  ///< one that `weft algorithms` lists; empty: WEFT_ALGORITHM
  Seconds timeout = {};        ///< after which any wait fails; 0: WEFT_TIMEOUT
  Progress progress = Progress::from_environment;  ///< who drives calls under way
  Order order = Order::from_environment;           ///< of float sums
  /** false: making, splitting and finalize() return at once, and state() tells when it is done. */
  bool blocking = true;
};

namespace detail {

/** `config` must outlive it. */
inline weft_config_t c_config(const Config& config) {
  constexpr std::array<const char*, 5> orders = {nullptr, "auto", "canonical", "shape", "fast"};
  weft_config_t made = WEFT_CONFIG_INITIALIZER;
  if (!config.node.empty()) made.node = config.node.c_str();
  if (!config.algorithm.empty()) made.algorithm = config.algorithm.c_str();
  made.timeout_seconds = config.timeout.count();
  made.progress_thread = static_cast<int>(config.progress);
  made.order = orders.at(static_cast<std::size_t>(config.order));
  made.blocking = config.blocking ? 1 : 0;
  return made;
}

}  // namespace detail

/** Names a job and holds its secret: whoever has it may join. */
class UniqueId {
 public:
  /** A new one, whose rendezvous listens in this process: for the process of rank 0, which hands
   * it to all ranks. It listens until rank 0 has made its communicator. */
  static UniqueId create() {
    UniqueId made;
    detail::check(weft_get_unique_id(&made.id_));
    return made;
  }
  /** What text() gave. Throws Error (invalid_argument) for anything else. */
  static UniqueId from_text(const std::string& text) {
    UniqueId made;
    detail::check(weft_unique_id_from_text(&made.id_, text.c_str()));
    return made;
  }
  /** For an environment variable or a file: less than WEFT_UNIQUE_ID_TEXT_BYTES letters, which
   * hold the job's secret. */
  std::string text() const {
    std::array<char, WEFT_UNIQUE_ID_TEXT_BYTES> text{};
    detail::check(weft_unique_id_to_text(&id_, text.data()));
    return text.data();
  }
  /** Plain data, to be sent by whatever means the program has. */
  const weft_unique_id_t& data() const noexcept { return id_; }
  /** What data() gave, in whatever process. */
  explicit UniqueId(const weft_unique_id_t& data) noexcept : id_(data) {}

 private:
  UniqueId() = default;
  weft_unique_id_t id_{};
};

/** What a communicator knows of itself, for reports. */
struct Info {
  int node = 0;                         ///< this rank's, from 0 in order of first ranks
  int nodes = 1;                        ///< how many there are
  int local_rank = 0;                   ///< this rank's number in its node, from 0
  int local_ranks = 1;                  ///< ranks of this node
  int rails = 1;                        ///< parts that travel apart between nodes
  std::string node_name;                ///< of this rank's node
  std::string shape;                    ///< ranks of each node: "2+2"
  std::string transport_in_node;        ///< "shm"; "loopback" between threads; "none" for one rank
  std::string transport_between_nodes;  ///< "tcp"; "none" for one node
  std::string order;                    ///< that float sums keep
};

/** For Communicator::explain. */
enum class Collective : int {
  all_reduce = weft_collective_all_reduce,          ///< count: elements of input and output
  reduce_scatter = weft_collective_reduce_scatter,  ///< count: elements of the output
  all_gather = weft_collective_all_gather,          ///< count: elements of the input
  broadcast = weft_collective_broadcast,            ///< count: elements of the buffer
  barrier = weft_collective_barrier,                ///< moves no elements: count 0
  reduce = weft_collective_reduce,                  ///< count: elements of input and output
  gather = weft_collective_gather,                  ///< count: elements of the input
  scatter = weft_collective_scatter,                ///< count: elements of the output
  all_to_all = weft_collective_all_to_all,          ///< count: elements of one block
  scan = weft_collective_scan,                      ///< count: elements of input and output
  exscan = weft_collective_exscan                   ///< count: elements of input and output
};

}  // namespace v0
}  // namespace weft
