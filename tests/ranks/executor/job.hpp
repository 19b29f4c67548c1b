// A whole job in one thread: engines of all ranks over loopback transports, polled in a seeded
// order.
//
// Every run is replayed from its seed. The record of every rank is checked against the programs
// afterwards.
#pragma once
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

#include "algorithms/table.hpp"
#include "executor/engine.hpp"
#include "intranode/host/map.hpp"
#include "intranode/host/reduce.hpp"
#include "net/loopback/loopback.hpp"
#include "tests/ranks/executor/oracle.hpp"

namespace weft::testing {

struct JobSettings {
  schedule::Shape shape;
  channel::Options channels;
  std::optional<u64> weather_seed;
  u64 seed = 1;
};

struct CallSettings {
  std::string algorithm;
  schedule::Kind kind = schedule::Kind::all_reduce;
  u32 root = 0;
  DataType type = DataType::float32;
  Op op = Op::sum;
  bool wide = false;   // bfloat16 whose partial results are float32, rounded once at the end
  u32 multiplier = 1;  // of every input, on its way in
  u64 count = 0;       // of the vector or of a block
  u64 slice_elements = 0;
  bool streams = false;  // results are stored past the caches
  bool in_place = false;
  u32 shift_bytes = 0;  // of every buffer from its aligned place
};

class Job {
 public:
  explicit Job(JobSettings settings);
  u32 ranks() const { return settings_.shape.ranks(); }

  // Gives every rank its plan, buffers with random contents, and starts the operation on all of
  // them.
  void start(const CallSettings& call);
  // Polls ranks in random order until all operations are done, or nothing moves any more.
  bool run();
  // Empty: every result of every call is right, nothing around the buffers was touched, the record
  // is an execution of the programs. Else what is wrong.
  std::string verdict();

  executor::Engine& engine(u32 rank) { return *engines_[rank]; }
  executor::Operation& operation(std::size_t call, u32 rank) {
    return calls_[call].operations[rank];
  }

 private:
  struct RunningCall {
    CallSettings settings;
    schedule::Order order;
    std::array<std::byte, 8> scalar;           // that inputs are multiplied by
    std::vector<oracle::Bytes> contribution;   // of each rank, aligned
    std::vector<oracle::Bytes> input, output;  // with guards; input unused where in place
    std::vector<std::unique_ptr<executor::Plan>> plans;
    std::deque<executor::Operation> operations;
  };
  void fill(RunningCall& call);
  void place(RunningCall& call);
  std::string check_results(const RunningCall& call) const;
  oracle::Bytes expected(const RunningCall& call, u32 rank) const;

  JobSettings settings_;
  std::mt19937_64 dice_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::vector<std::unique_ptr<executor::Engine>> engines_;
  std::deque<RunningCall> calls_;
};

}  // namespace weft::testing
