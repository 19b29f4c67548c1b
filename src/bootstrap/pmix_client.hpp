// This process as a client of the launcher's PMIx server: publish, fence, fetch, in plain types.
//
// The one seam to libpmix, which is loaded at run time, once. The session starts with the first use
// and ends when the process does: libpmix counts its users (MPI in the same process is one), but
// does not start again after the last has left. Every wait is under our own deadline, because the
// time-outs that PMIx offers are kept by few servers. Threads: any.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::bootstrap {

struct PmixLibrary;  // its functions
struct PmixAnswers;  // what it calls back with

class PmixClient {
 public:
  static std::string missing();  // why there is no libpmix; empty if there is
  static Result<PmixClient> connect();

  u32 rank() const { return rank_; }
  u32 ranks() const { return ranks_; }

  Status publish(const std::string& key, const std::string& bytes) const;
  // Waits for all ranks, and with `collect` brings here what they have published. False if the
  // deadline passed.
  Result<bool> fence(bool collect, Deadline deadline) const;
  // By rank: what all published before the last fence that collected.
  Result<std::vector<std::string>> fetch(const std::string& key, Deadline deadline) const;
  // By rank, without a fence: who has published the key, as far as known at the deadline.
  std::vector<bool> published(const std::string& key, Deadline deadline) const;

 private:
  PmixClient() = default;
  std::shared_ptr<PmixAnswers> ask_all(const std::string& key, Deadline deadline) const;
  tl::unexpected<Error> fail_status(int status, const std::string& what) const;

  const PmixLibrary* library_ = nullptr;
  std::string name_space_;
  u32 rank_ = 0, ranks_ = 0;
};

}  // namespace weft::bootstrap
