// Proves algorithms over node shapes on all cores, and counts.
//
// A case is (algorithm, kind, shape, root, in place or not). Flat algorithms do not look at nodes,
// so beyond 10 ranks they are proved once a number of ranks. Every case is also held against the
// order that the table promises. Threads: one caller; it starts its own.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/shape.hpp"

namespace weft::cli {

struct Selection {
  std::string algorithm;  // empty: all
  std::vector<schedule::Kind> kinds;
  std::vector<schedule::Shape> shapes;
  u64 seed = 0;  // of the roots that are drawn
  u32 jobs = 1;
};

struct Tally {
  u64 proved = 0, total = 0;
};

class Matrix {
 public:
  // Calls `progress` now and then, from one thread at a time.
  using Progress = std::function<void(u32 ranks, const Tally&)>;

  void prove(const Selection& selection, const Progress& progress);

  const Tally& total() const { return total_; }
  const std::vector<std::string>& faults() const { return faults_; }  // the first few, in words
  std::string text() const;  // a row an algorithm, a column a kind

 private:
  using Row = std::array<Tally, std::size(schedule::all_kinds)>;

  void prove_shape(const Selection& selection, const schedule::Shape& shape);
  void prove_case(const std::string& algorithm, schedule::Kind kind, const schedule::Shape& shape,
                  u32 root);
  void count(const std::string& algorithm, schedule::Kind kind, bool proved,
             const std::string& why);

  std::mutex mutex_;
  std::map<std::string, Row> rows_;
  Tally total_;
  std::vector<std::string> faults_;
};

// Roots that are proved: all up to 10 ranks, then the first, the last and two drawn ones.
std::vector<u32> roots_of(schedule::Kind kind, u32 ranks, std::mt19937_64& dice);

}  // namespace weft::cli
