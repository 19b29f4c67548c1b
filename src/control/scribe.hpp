// Writes what became of jobs, on a thread of its own: a pipe that nobody reads and a slow file
// server must not keep the control thread from beating.
//
// The thread begins with the first note. What cannot be written is no reason to end the program.
// Lifetime: finish() waits until all is written. Threads: any.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "control/job.hpp"

namespace weft::control {

class Scribe {
 public:
  void write(std::vector<Job::Note> notes);
  void finish();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job::Note> notes_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace weft::control
