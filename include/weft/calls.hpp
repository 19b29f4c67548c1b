/**
 * @file calls.hpp
 * @brief What all collectives of a Communicator stand on: who this rank is, and the forms of a
 * call.
 *
 * Lifetime and threads: as Communicator, whose base this is.
 */
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "weft/buffer.hpp"
#include "weft/operator.hpp"
#include "weft/request.hpp"

namespace weft {
inline namespace v0 {

/** Where a call writes that reads an `In`: the same kind of elements. */
template <class Out, class In>
concept OutputFor = OutputBuffer<Out> && std::same_as<ElementOf<In>, ElementOf<Out>>;

/** A rank's place among the others, and its blocks of a buffer. */
class Calls {
 public:
  /** This rank. Throws Error while the communicator is not made, or if it belongs to nobody. */
  Rank rank() const {
    ask();
    return member_->rank;
  }
  /** How many ranks there are. Throws as rank(). */
  std::size_t ranks() const {
    ask();
    return member_->ranks;
  }
  /** Block `rank` of `ranks()` equal ones of a buffer, as reduce_scatter and all_gather see it: a
   * span, or typed() bytes. Throws Error (invalid_argument) if it does not divide. */
  template <InputBuffer B>
  auto block(B&& buffer, Rank rank) const {
    if (rank.value < 0 || rank.index() >= ranks())
      throw Error(Code::invalid_argument, "there is no rank " + std::to_string(rank.value));
    return detail::block_of(buffer, rank.index(), ranks());
  }
  /** This rank's own. */
  template <InputBuffer B>
  auto block(B&& buffer) const {
    return block(buffer, rank());
  }

 protected:
  /** What an operator needs until the calls that use it have ended. */
  using Kept = std::shared_ptr<const void>;

  /** Of nobody. */
  Calls() = default;
  /** The one moved from belongs to nobody. */
  Calls(Calls&&) noexcept = default;
  /** The same; leaves the communicator it was of, if nothing else holds that. */
  Calls& operator=(Calls&&) noexcept = default;
  /** Leaves it, if nothing else that was made from it holds it. */
  ~Calls() = default;

  /** NULL if it belongs to nobody. */
  weft_comm_t handle() const noexcept { return member_ ? member_->handle : nullptr; }
  /** Throws Error (invalid_argument) if it belongs to nobody. */
  const detail::Member& member_or_throw() const {
    if (!member_) throw Error(Code::invalid_argument, "the communicator belongs to nobody");
    return member_;
  }

  /** A blocking call, which an open group has only recorded. */
  void run(weft_result_t result, const Kept& kept) {
    detail::check(result);
    detail::recorded().add(member_, kept);
  }
  /** A call that `start(weft_request_t*)` starts. */
  template <class Start>
  Request request(const Kept& kept, Start start) {
    weft_request_t made = nullptr;
    detail::check(start(&made));
    return {made, member_, kept};
  }
  /** A call that `plan(weft_operation_t*)` plans. */
  template <class Plan>
  Operation operation(const Kept& kept, Plan plan) {
    weft_operation_t made = nullptr;
    detail::check(plan(&made));
    return {made, member_, kept};
  }
  /** A call that `start(input, output)` starts, on vectors that the Future owns. */
  template <class T, class Start>
  Future<std::vector<T>> future(std::vector<T> input, Start start) {
    Future<std::vector<T>> made;
    made.state_ = std::make_unique<typename Future<std::vector<T>>::State>();
    made.state_->input = std::move(input);
    made.state_->request = start(made.state_->input, made.state_->output);
    return made;
  }

  /** Shared with all that was made from the communicator; null if it belongs to nobody. */
  detail::Member member_;

 private:
  void ask() const {
    detail::Membership& member = *member_or_throw();
    if (member.ranks != 0) return;
    int rank = 0, ranks = 0;
    detail::check(weft_comm_rank(member.handle, &rank));
    detail::check(weft_comm_size(member.handle, &ranks));
    member.rank = Rank{rank};
    member.ranks = static_cast<std::size_t>(ranks);
  }
};

}  // namespace v0
}  // namespace weft
