// Who is waited for: the words of a time-out.
#include <algorithm>

#include "executor/engine.hpp"

namespace weft::executor {
namespace {

// What keeps one message of a step from moving, "" if nothing does.
std::string obstacle(const channel::Fabric& fabric, const Frame& frame, const LoweredStep& s,
                     u32 end) {
  const End& message = frame.plan->ends[end];
  const EndState& state = frame.ends[end];
  const u64 bytes = frame.extents(s).bytes;
  if (s.receives()) {
    const channel::RecvChannel& channel = *message.recv[frame.index];
    if (channel.turn == state.ticket && channel.has_item()) return {};
    return fmt::format("rank {} has sent {} of {} bytes ({})", message.peer,
                       frame.ends[s.first_end].moved, bytes, fabric.describe(message.peer));
  }
  const channel::SendChannel& channel = *message.send[frame.index];
  if (state.moved == bytes && !state.pending &&
      (!channel.lends || channel.credited >= state.release))
    return {};
  if (!channel.depth)
    return fmt::format("rank {} has not joined this call ({})", message.peer,
                       fabric.describe(message.peer));
  return fmt::format("rank {} has taken {} of {} bytes ({})", message.peer, state.moved, bytes,
                     fabric.describe(message.peer));
}

}  // namespace

std::string Engine::describe_wait(const Operation& operation) {
  if (operation.next_slice == 0)
    return fmt::format("rank {} has not begun it: {} earlier calls are still running",
                       settings_.rank, operation.call - oldest_);
  std::vector<std::string> found;
  for (const Frame& frame : frames_) {
    if (frame.operation != &operation) continue;
    for (u32 lane = 0; lane < frame.plan->lanes(); ++lane) {
      const u32 begin = frame.plan->lane_begin[lane];
      for (u32 i = begin + frame.lanes[lane].retired; i < begin + frame.lanes[lane].issued; ++i) {
        const LoweredStep& s = frame.plan->steps[i];
        if (frame.step_done[i] || frame.extents(s).bytes == 0) continue;
        for (u32 end = s.first_end; end < s.first_end + s.ends; ++end)
          if (std::string text = obstacle(fabric_, frame, s, end); !text.empty())
            found.push_back(std::move(text));
      }
    }
  }
  if (found.empty())
    return "every message has arrived, so a rank of this process is not being driven";
  // A missing rank is more telling than one that is slow, and one sentence a peer is enough.
  std::stable_partition(found.begin(), found.end(), [](const std::string& text) {
    return text.find("not joined") != text.npos;
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const std::size_t shown = std::min<std::size_t>(found.size(), 2);
  std::string text = fmt::format("{}", fmt::join(found.begin(), found.begin() + shown, "; "));
  if (shown < found.size()) text += fmt::format("; and {} more", found.size() - shown);
  return text;
}

}  // namespace weft::executor
