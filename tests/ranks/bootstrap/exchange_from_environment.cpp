// A rank as a launcher starts it: joins by its environment, exchanges, says who it was. For the
// tests under mpirun, and by hand: mpirun -n 4 build/weft_exchange_from_environment.
//
//   --absent R   rank R sleeps instead of coming to the second exchange
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "bootstrap/bootstrap.hpp"

using namespace weft;

namespace {

Status talk(bootstrap::Bootstrap& job, u32 rounds) {
  for (u32 round = 0; round < rounds; ++round) {
    const auto blob_of = [&](u32 rank) {
      return std::string((rank * 7919 + round * 30011) % 65537, static_cast<char>('a' + rank % 26));
    };
    WEFT_ASSIGN(const auto blobs,
                job.exchange(blob_of(job.rank()), Deadline::after(std::chrono::seconds(60))));
    for (u32 rank = 0; rank < job.ranks(); ++rank)
      if (blobs[rank] != blob_of(rank)) return fail(Code::mismatch, "wrong blob of rank {}", rank);
    WEFT_TRY(job.barrier(Deadline::after(std::chrono::seconds(60))));
  }
  return {};
}

Status run(int absent) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  WEFT_ASSIGN(const auto job, bootstrap::from_environment(deadline));
  WEFT_TRY(talk(*job, 4));
  // Another beside it, as a second communicator would make.
  WEFT_ASSIGN(const auto second, bootstrap::from_environment(deadline));
  WEFT_TRY(talk(*second, 2));
  WEFT_TRY(talk(*job, 1));
  if (absent >= 0) {
    if (static_cast<int>(job->rank()) == absent) ::sleep(3);
    WEFT_TRY(job->exchange("", Deadline::after(std::chrono::milliseconds(500))));
  }
  const Secret::Bytes secret = job->secret().derive("shown").bytes();
  const bool known = job->secret().bytes() != second->secret().bytes() || job->ranks() == 1;
  fmt::print("rank {} of {}: {} {}\n", job->rank(), job->ranks(),
             to_hex(std::span(secret).first(4)), known ? "well" : "one secret for two jobs");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const int absent = argc > 2 && std::strcmp(argv[1], "--absent") == 0 ? std::atoi(argv[2]) : -1;
  if (const Status status = run(absent); !status) {
    fmt::print("failed: {}\n", status.error().text);
    return 1;
  }
  return 0;
}
