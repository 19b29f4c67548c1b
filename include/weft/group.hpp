/**
 * @file group.hpp
 * @brief Groups: one thread drives several ranks. And what a rank's membership is.
 *
 * Lifetime: a Group is a local variable. Threads: it belongs to the thread that opened it.
 */
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {
inline namespace v0 {
namespace detail {

/**
 * A communicator's handle at an address that stays, since a group fills it in later. Shared by the
 * communicator and all that was made from it, so the handle outlives whatever needs it.
 */
class Membership {
 public:
  Membership() = default;
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  ~Membership() {
    if (!handle) return;
    // Whoever lets go of a communicator in the making does not want to wait for the others.
    weft_result_t state = weft_ok;
    if (!is_leaving && weft_comm_get_async_error(handle, &state) == weft_ok &&
        state == weft_in_progress)
      weft_comm_abort(handle);
    weft_comm_destroy(handle);
  }

  weft_comm_t handle = nullptr;
  std::size_t ranks = 0;  // once asked
  Rank rank;
  bool is_leaving = false;  // finalize() was called
};
using Member = std::shared_ptr<Membership>;

/** What this thread's open groups hold on to until they end. */
struct Recorded {
  int depth = 0;
  std::vector<Member> members;
  std::vector<std::shared_ptr<const void>> kept;  // what operators need

  void add(const Member& member, const std::shared_ptr<const void>& keep) {
    if (depth == 0) return;
    members.push_back(member);
    if (keep) kept.push_back(keep);
  }
};
inline Recorded& recorded() {
  static thread_local Recorded of_this_thread;
  return of_this_thread;
}

}  // namespace detail

/**
 * While one is open, blocking collectives, joining and destroying communicators are recorded; the
 * end() of the outermost runs them all at once, so that one thread may drive several ranks:
 *
 *     weft::Group group;
 *     for (std::size_t i = 0; i < comms.size(); ++i) comms[i].all_reduce(gradients[i]);
 *     group.end();
 *
 * Buffers must live until end() has returned. Groups nest.
 */
class [[nodiscard]] Group {
 public:
  /** Opens one on this thread, or one within another; nothing is waited for. */
  Group() {
    detail::check(weft_group_start());
    ++detail::recorded().depth;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  /** Without end(), as when an exception passes: aborts the communicators that were used in the
   * group, so that nothing runs on buffers that are gone. Communicators that were to be made are
   * still made, which waits for the other ranks or the timeout. */
  ~Group() {
    if (is_ended_) return;
    for (const detail::Member& member : detail::recorded().members)
      if (member->handle) weft_comm_abort(member->handle);
    close();
  }

  /** Runs what was recorded, if this is the outermost group. Throws the first Error of its
   * calls; only the first call of end() does anything. */
  void end() {
    if (!std::exchange(is_ended_, true)) detail::check(close());
  }

 private:
  static weft_result_t close() noexcept {
    detail::Recorded& recorded = detail::recorded();
    if (recorded.depth > 1) {
      --recorded.depth;
      return weft_group_end();
    }
    // Communicators that nobody else holds are destroyed in the group, all together; those in the
    // making get their handle from its end.
    std::erase_if(recorded.members, [](const detail::Member& m) { return m->handle != nullptr; });
    const weft_result_t result = weft_group_end();
    recorded.depth = 0;
    const auto members = std::exchange(recorded.members, {});
    const auto kept = std::exchange(recorded.kept, {});
    return result;
  }

  bool is_ended_ = false;
};

}  // namespace v0
}  // namespace weft
