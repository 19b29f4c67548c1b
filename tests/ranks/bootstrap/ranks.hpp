// Ranks as threads or as forked processes, for tests of the rendezvous: loopback only.
//
// Errors are collected by rank, since nearly every test is about what all of them say.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bootstrap/tree_bootstrap.hpp"

namespace weft::bootstrap::test {

// In every test program: listeners stay on the loopback interface.
inline const bool on_loopback = ::setenv("WEFT_INTERFACE", "lo", 1) == 0;

inline Deadline soon() { return Deadline::after(std::chrono::seconds(60)); }

// A port for a job whose place is fixed beforehand: below those that the kernel hands out, another
// one with each call and in each process.
inline u16 fixed_port() {
  static u16 calls = 0;
  return static_cast<u16>(12000 + (::getpid() * 50 + calls++ * 10) % 8000);
}

// What each rank returned; an empty text is success.
inline std::vector<std::string> as_threads(u32 ranks, const std::function<Status(u32)>& body) {
  std::vector<std::string> errors(ranks);
  std::vector<std::thread> threads;
  for (u32 rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      if (const Status status = body(rank); !status) errors[rank] = status.error().text;
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// The same with one process a rank. `body` must not use googletest.
inline std::vector<std::string> as_processes(u32 ranks, const std::function<Status(u32)>& body) {
  struct Child {
    pid_t pid;
    int out;
  };
  std::vector<Child> children;
  for (u32 rank = 0; rank < ranks; ++rank) {
    int ends[2];
    if (::pipe(ends) != 0) ADD_FAILURE() << "pipe";
    const pid_t pid = ::fork();
    if (pid == 0) {
      const Status status = body(rank);
      const std::string text = status ? "" : status.error().text;
      const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
      ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    children.push_back({pid, ends[0]});
  }
  std::vector<std::string> errors;
  for (const Child& child : children) {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(child.out, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    ::close(child.out);
    int status = 0;
    ::waitpid(child.pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) text += " [the process did not end well]";
    errors.push_back(text);
  }
  return errors;
}

inline std::vector<std::string> all_well(u32 ranks) { return std::vector<std::string>(ranks); }

}  // namespace weft::bootstrap::test
