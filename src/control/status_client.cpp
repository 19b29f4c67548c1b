#include "control/status_client.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>

#include "control/status_door.hpp"

namespace weft::control {

Result<std::string> ask_status(int pid, Deadline deadline) {
  int error = 0;
  Fd socket = connect_to(status_name(pid), error);
  if (error == ECONNREFUSED)
    return fail(Code::invalid_argument,
                "process {} has no job, or is no process that uses weft (a job of one rank has "
                "nobody to watch); `weft status` lists those there are",
                pid);
  if (error) return fail_errno(error, fmt::format("asking process {}", pid));
  if (!is_same_user(socket.get()))
    return fail(Code::system_error, "process {} belongs to another user", pid);
  Stream stream(std::move(socket), 64u << 20);
  while (!stream.ended()) {
    if (deadline.passed())
      return fail(Code::timed_out, "process {} does not answer: it is stopped, or hangs", pid);
    pollfd polled = stream.watched();
    const auto wait = std::chrono::milliseconds(50);
    ::poll(&polled, 1, int(wait.count()));
    stream.move();
  }
  return std::string(stream.incoming());
}

std::vector<int> processes_with_jobs() {
  std::vector<int> pids;
  std::ifstream file("/proc/net/unix");
  const std::string name = status_name(0);
  const std::string prefix = fmt::format("@{}", name.substr(0, name.size() - 1));
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.rfind(prefix);
    if (at == line.npos) continue;
    int pid = 0;
    const char* const end = line.data() + line.size();
    if (std::from_chars(line.data() + at + prefix.size(), end, pid).ptr == end) pids.push_back(pid);
  }
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

}  // namespace weft::control
