// The ranks one thread drives: their communicators and buffers, and one call on all of them.
//
// Several ranks of a thread, and several operations of an iteration (-m), are one group. Successive
// iterations use successive parts of the buffers while these last, to meet cold memory; a group
// never holds two operations on the same bytes, since operations of a group are in flight together.
// Lifetime: borrows options, collective, communicators and peer. Threads: its own only.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "perf/buffer.hpp"
#include "perf/collective.hpp"
#include "perf/digest.hpp"
#include "perf/library.hpp"
#include "perf/options.hpp"
#include "perf/peer.hpp"

namespace weft::perf {

enum class Place { out, in };

// Who runs calls: the library over these communicators, one a rank, or a peer.
struct Runner {
  std::span<const Communicator> communicators;
  const Peer* peer = nullptr;
  int form = own_choice;  // of the peer
};

// --compare grouped: that many operations, if they are small, in groups that the library has room
// for.
constexpr int grouped_operations = 1000, operations_of_a_group = 250;
static_assert(operations_of_a_group <= WEFT_MAX_IN_FLIGHT);
constexpr std::size_t grouped_bytes = 4096;

// What one row measures.
struct Case {
  const ElementType* type = nullptr;
  const Operator* op = nullptr;
  int root = 0;  // -1 where the collective has none
  Layout layout;
  std::size_t send_bytes() const { return layout.send * type->bytes; }
  std::size_t receive_bytes() const { return layout.receive * type->bytes; }
  std::size_t bytes() const { return std::max(send_bytes(), receive_bytes()); }
};

class RankSet {
 public:
  RankSet(const Options& options, const Collective& collective, int all_ranks, int first_rank,
          std::span<const Communicator> communicators);

  // From now on calls are this one's. The operators of a case are to be made again.
  void use(const Runner& runner);

  int all_ranks() const { return all_ranks_; }

  Status allocate();
  PeerBuffers buffers() const;  // of the first rank: a peer has one a process
  static std::size_t bytes_per_rank(const Options& options);

  // Makes the operators that a case needs on each communicator, and frees those of the case before.
  Status make_operators(const Case& test);

  // Moves the buffers to where elements of this type are to start, `more` bytes later still.
  void align_for(const ElementType& type, std::size_t more = 0);

  // Writes the inputs; out of place the results are zeroed first, in place what is not input.
  void prepare(const Case& test, Place place, std::uint64_t seed, Inputs inputs);

  // `operations` calls on each rank, the first as iteration `iteration`.
  Status call(const Case& test, Place place, std::size_t iteration, int operations);

  // grouped_operations calls on each rank in groups, out of place, each on its own part of the
  // buffers; --compare grouped makes them large enough.
  Status groups(const Case& test);

  // Elements of all ranks that differ from what prepare's seed asks for, after iteration 0; bytes
  // written past a result count as one.
  std::size_t wrong(const Case& test, Place place, std::uint64_t seed) const;

  void add_to_digests(const Case& test, Place place);
  std::vector<DigestValue> digests() const;

 private:
  struct Rank {
    int number;
    weft_comm_t comm;
    std::optional<PremulSum> op;
    Buffer send, receive;
    Digest digest;
  };

  Status start(const Call& call) const;
  RankData data_of(const Rank& rank, const Case& test, std::uint64_t seed, Inputs inputs) const;
  const std::byte* result_of(const Rank& rank, const Case& test, Place place) const;
  Call call_of(const Rank& rank, const Case& test, Place place, std::size_t part) const;
  std::size_t parts(const Case& test) const;

  const Options& options_;
  const Collective& collective_;
  const int all_ranks_;
  Runner runner_;
  std::vector<Rank> ranks_;
};

}  // namespace weft::perf
