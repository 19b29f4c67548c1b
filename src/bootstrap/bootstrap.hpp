// Out-of-band rendezvous: how ranks that know nothing of each other become a job.
//
// A Bootstrap knows its rank and the number of ranks, holds the job's secret, and can exchange
// small blobs among all ranks. It is used while a communicator is made, and then kept only until
// all have joined. Three ways in, chosen by `from_environment` or given a unique id: PMIx,
// MASTER_ADDR, WEFT_UNIQUE_ID. Threads: one thread at a time.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace weft::bootstrap {

inline constexpr std::size_t blob_most_bytes = 64 << 10;

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual u32 rank() const = 0;
  virtual u32 ranks() const = 0;
  virtual const Secret& secret() const = 0;  // the same on all ranks, once `exchange` has returned

  // Every rank gives a blob (at most blob_most_bytes), every rank gets all of them by rank.
  // Collective. Errors name the ranks that did not come: "ranks 3, 5-7 have not joined after 30 s".
  virtual Result<std::vector<std::string>> exchange(const std::string& blob, Deadline deadline) = 0;
  virtual Status barrier(Deadline deadline) = 0;
};

// The 128 bytes of a job's id: magic and version, secret, addresses of the root's listener.
struct UniqueId {
  static constexpr std::size_t size = 128;
  std::array<char, size> bytes{};
  std::string text() const;  // base64
  static Result<UniqueId> from_text(const std::string& text);
  bool operator==(const UniqueId&) const = default;
};

// Opens a listener in this process and returns its id, for one job. The first rank to join() with
// it in this process (in a fork: rank 0) takes the listener over and is the root of the rendezvous.
Result<UniqueId> create_unique_id();
// Id for ranks started by hand (`weft unique-id`): names address and port, rank 0 opens the
// listener in join().
Result<UniqueId> reserve_unique_id(const std::string& host, u16 port);

// Returns once all ranks have joined, or with the same error on all of them. A failed rank stays up
// to a second, and one past its deadline 0.7 s more and a tenth for each rank between it
// and the root, so that everybody hears why.
Result<std::unique_ptr<Bootstrap>> join(const UniqueId& id, u32 rank, u32 ranks, Deadline deadline);

// As the launcher's variables say; see README.md for the order. One rank if there are none.
Result<std::unique_ptr<Bootstrap>> from_environment(Deadline deadline);

// A job of one rank.
std::unique_ptr<Bootstrap> alone();

}  // namespace weft::bootstrap
