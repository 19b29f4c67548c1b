/**
 * @file collectives.hpp
 * @brief The collectives of a Communicator, each in its forms.
 *
 * Every rank of a communicator makes the same calls in the same order, with equal counts, types,
 * operators and roots. Sizes are checked against each other here, everything else below.
 *
 * Lifetime and threads: as Communicator, which this is the larger part of.
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

/**
 * What a Communicator does together with the other ranks.
 *
 * **The forms of a collective.** For all_reduce; the others alike:
 *
 * - `all_reduce(input, output, ...)` returns when output holds the result. In a Group it returns at
 *   once and Group::end completes it.
 * - `all_reduce_start(...)` returns a Request at once; at most WEFT_MAX_IN_FLIGHT may be under way.
 * - `all_reduce_init(...)` plans the call and returns an Operation.
 * - `all_reduce_async(vector, ...)` takes the input and returns a Future of the output.
 *
 * The first three have an overload with one buffer that works in place. Input and output are of the
 * same element type, and otherwise apart. Empty buffers are welcome.
 *
 * **Errors.** Error with Code::invalid_argument (sizes that do not fit, an operator that means
 * nothing for the type, too many calls under way): nothing was started. Any other code: the
 * communicator is poisoned, later calls throw Code::aborted.
 */
class Collectives {
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

  /** @name all_reduce
   * output[n] = op over ranks of input[n]. @{ */
  /** Input and output are of equal size. Returns when the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void all_reduce(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                  Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    run(weft_all_reduce(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                        stream.handle),
        op.kept());
  }
  /** In place: the result replaces the input. */
  template <OutputBuffer B>
  void all_reduce(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    all_reduce(buffer, buffer, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_reduce_start(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                           Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return request(op.kept(), [&](auto* made) {
      return weft_all_reduce_start(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                                   stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_reduce_start(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return all_reduce_start(buffer, buffer, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_reduce_init(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                            Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return operation(op.kept(), [&](auto* made) {
      return weft_all_reduce_init(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                                  stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_reduce_init(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return all_reduce_init(buffer, buffer, op, stream);
  }
  /** With buffers that the Future owns. */
  template <Element T>
  Future<std::vector<T>> all_reduce_async(std::vector<T> input, Reduction<T> op = Op::sum) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out = std::move(in);
      return all_reduce_start(out, op);
    });
  }
  /** @} */

  /** @name reduce_scatter
   * output[n] = block `rank` of op over ranks of input[ranks * n]. @{ */
  /** The input is ranks() times as large as the output. Returns when the output holds the result.
   */
  template <InputBuffer In, OutputFor<In> Out>
  void reduce_scatter(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                      Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, ranks(), 1);
    run(weft_reduce_scatter(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                            stream.handle),
        op.kept());
  }
  /** In place: the result is block(buffer); the other blocks are left as they are. */
  template <OutputBuffer B>
  void reduce_scatter(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    auto own = block(buffer);
    reduce_scatter(buffer, own, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request reduce_scatter_start(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                               Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, ranks(), 1);
    return request(op.kept(), [&](auto* made) {
      return weft_reduce_scatter_start(b.input, b.output, b.count, b.type, op.native_handle(),
                                       handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request reduce_scatter_start(B&& buffer, Reduction<ElementOf<B>> op = Op::sum,
                               Stream stream = {}) {
    auto own = block(buffer);
    return reduce_scatter_start(buffer, own, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation reduce_scatter_init(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                                Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, ranks(), 1);
    return operation(op.kept(), [&](auto* made) {
      return weft_reduce_scatter_init(b.input, b.output, b.count, b.type, op.native_handle(),
                                      handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation reduce_scatter_init(B&& buffer, Reduction<ElementOf<B>> op = Op::sum,
                                Stream stream = {}) {
    auto own = block(buffer);
    return reduce_scatter_init(buffer, own, op, stream);
  }
  /** With buffers that the Future owns. */
  template <Element T>
  Future<std::vector<T>> reduce_scatter_async(std::vector<T> input, Reduction<T> op = Op::sum) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out.resize(in.size() / ranks());
      return reduce_scatter_start(in, out, op);
    });
  }
  /** @} */

  /** @name all_gather
   * output[ranks * n] = the blocks input[n] of all ranks, in order of rank. @{ */
  /** The output is ranks() times as large as the input. Returns when the output holds the result.
   */
  template <InputBuffer In, OutputFor<In> Out>
  void all_gather(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, ranks());
    run(weft_all_gather(b.input, b.output, b.count, b.type, handle(), stream.handle), nullptr);
  }
  /** In place: the input is block(buffer). */
  template <OutputBuffer B>
  void all_gather(B&& buffer, Stream stream = {}) {
    auto own = block(buffer);
    all_gather(own, buffer, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_gather_start(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, ranks());
    return request(nullptr, [&](auto* made) {
      return weft_all_gather_start(b.input, b.output, b.count, b.type, handle(), stream.handle,
                                   made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_gather_start(B&& buffer, Stream stream = {}) {
    auto own = block(buffer);
    return all_gather_start(own, buffer, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_gather_init(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, ranks());
    return operation(nullptr, [&](auto* made) {
      return weft_all_gather_init(b.input, b.output, b.count, b.type, handle(), stream.handle,
                                  made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_gather_init(B&& buffer, Stream stream = {}) {
    auto own = block(buffer);
    return all_gather_init(own, buffer, stream);
  }
  /** With buffers that the Future owns. */
  template <Element T>
  Future<std::vector<T>> all_gather_async(std::vector<T> input) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out.resize(in.size() * ranks());
      return all_gather_start(in, out);
    });
  }
  /** @} */

  /** @name broadcast
   * output[n] = input[n] of rank `root`; the input is read there only. @{ */
  /** Input and output are of equal size, also where the input is not read. Returns when the output
   * holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void broadcast(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    run(weft_broadcast(b.input, b.output, b.count, b.type, root.value, handle(), stream.handle),
        nullptr);
  }
  /** In place: the buffer is the input at the root and the output elsewhere. */
  template <OutputBuffer B>
  void broadcast(B&& buffer, Rank root, Stream stream = {}) {
    broadcast(buffer, buffer, root, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request broadcast_start(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return request(nullptr, [&](auto* made) {
      return weft_broadcast_start(b.input, b.output, b.count, b.type, root.value, handle(),
                                  stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request broadcast_start(B&& buffer, Rank root, Stream stream = {}) {
    return broadcast_start(buffer, buffer, root, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation broadcast_init(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return operation(nullptr, [&](auto* made) {
      return weft_broadcast_init(b.input, b.output, b.count, b.type, root.value, handle(),
                                 stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation broadcast_init(B&& buffer, Rank root, Stream stream = {}) {
    return broadcast_init(buffer, buffer, root, stream);
  }
  /** With buffers that the Future owns; the size is the same on all ranks. */
  template <Element T>
  Future<std::vector<T>> broadcast_async(std::vector<T> buffer, Rank root) {
    return future<T>(std::move(buffer), [&](auto& in, auto& out) {
      out = std::move(in);
      return broadcast_start(out, root);
    });
  }
  /** @} */

  /** @name barrier
   * No rank leaves before all have come. @{ */
  /** Returns when all ranks have come. */
  void barrier(Stream stream = {}) { run(weft_barrier(handle(), stream.handle), nullptr); }
  /** Returns at once; the request ends when all ranks have come. */
  Request barrier_start(Stream stream = {}) {
    return request(nullptr,
                   [&](auto* made) { return weft_barrier_start(handle(), stream.handle, made); });
  }
  /** Plans it; each start of the operation is one barrier. */
  Operation barrier_init(Stream stream = {}) {
    return operation(nullptr,
                     [&](auto* made) { return weft_barrier_init(handle(), stream.handle, made); });
  }
  /** @} */

 protected:
  /** What an operator needs until the calls that use it have ended. */
  using Kept = std::shared_ptr<const void>;

  /** Of nobody. */
  Collectives() = default;
  /** The one moved from belongs to nobody. */
  Collectives(Collectives&&) noexcept = default;
  /** The same; leaves the communicator it was of, if nothing else holds that. */
  Collectives& operator=(Collectives&&) noexcept = default;
  /** Leaves it, if nothing else that was made from it holds it. */
  ~Collectives() = default;

  /** NULL if it belongs to nobody. */
  weft_comm_t handle() const noexcept { return member_ ? member_->handle : nullptr; }
  /** Throws Error (invalid_argument) if it belongs to nobody. */
  const detail::Member& member_or_throw() const {
    if (!member_) throw Error(Code::invalid_argument, "the communicator belongs to nobody");
    return member_;
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

  // A blocking call, which an open group has only recorded.
  void run(weft_result_t result, const Kept& kept) {
    detail::check(result);
    detail::recorded().add(member_, kept);
  }
  template <class Start>
  Request request(const Kept& kept, Start start) {
    weft_request_t made = nullptr;
    detail::check(start(&made));
    return {made, member_, kept};
  }
  template <class Plan>
  Operation operation(const Kept& kept, Plan plan) {
    weft_operation_t made = nullptr;
    detail::check(plan(&made));
    return {made, member_, kept};
  }
  template <class T, class Start>
  Future<std::vector<T>> future(std::vector<T> input, Start start) {
    Future<std::vector<T>> made;
    made.state_ = std::make_unique<typename Future<std::vector<T>>::State>();
    made.state_->input = std::move(input);
    made.state_->request = start(made.state_->input, made.state_->output);
    return made;
  }
};

}  // namespace v0
}  // namespace weft
