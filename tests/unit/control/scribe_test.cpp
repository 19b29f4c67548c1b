// Whoever writes may be held up by a pipe that nobody reads; whoever has something written is not.
#include "control/scribe.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace weft::control {
namespace {

TEST(Scribe, NobodyWaitsForAPipeThatIsFull) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const int before = ::dup(STDERR_FILENO);
  ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
  const std::string page(4096, '.');
  std::size_t stuffed = 0;
  for (ssize_t put; (put = ::write(pipe[1], page.data(), page.size())) > 0;)
    stuffed += std::size_t(put);
  ::fcntl(pipe[1], F_SETFL, 0);
  ::dup2(pipe[1], STDERR_FILENO);
  Scribe scribe;
  for (int i = 0; i < 100; ++i) scribe.write({{.line = "note " + std::to_string(i)}});

  std::string read;  // nothing came here before all was handed over
  for (std::size_t left = stuffed; left > 0;) {
    char bytes[4096];
    const ssize_t got = ::read(pipe[0], bytes, std::min(left, sizeof bytes));
    ASSERT_GT(got, 0);
    left -= std::size_t(got);
  }
  scribe.finish();
  ::dup2(before, STDERR_FILENO);
  ::close(pipe[1]);
  char bytes[4096];
  for (ssize_t got; (got = ::read(pipe[0], bytes, sizeof bytes)) > 0;)
    read.append(bytes, std::size_t(got));
  ::close(pipe[0]);
  ::close(before);
  EXPECT_NE(read.find("note 0\n"), std::string::npos);
  EXPECT_LT(read.find("note 0\n"), read.find("note 99\n"));
}

}  // namespace
}  // namespace weft::control
