// Ranks as threads of one process, each with a Communicator, through the C++ API alone.
//
// An exception that leaves a rank's body fails the test. Threads: one a rank.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "weft/weft.hpp"

namespace weft::testing {

// "aab": ranks 0 and 1 on node a, rank 2 on node b.
inline void run_ranks(const std::string& nodes, const Config& config,
                      const std::function<void(Communicator&)>& body) {
  const UniqueId id = UniqueId::create();
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        Config own = config;
        own.node = nodes[rank];
        if (own.timeout == Seconds{0}) own.timeout = Seconds{60};
        Communicator comm = Communicator::join(id, Rank{int(rank)}, nodes.size(), own);
        body(comm);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// The code of the Error that `call` throws; ok if it throws none.
template <class Call>
Code code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  return Code::ok;
}

}  // namespace weft::testing
