/**
 * @file rooted.hpp
 * @brief The collectives of a Communicator that have a root: broadcast, reduce, gather, scatter.
 *
 * Lifetime and threads: as Communicator, whose base this is.
 */
#pragma once
#include <utility>
#include <vector>

#include "weft/calls.hpp"

namespace weft {
inline namespace v0 {

/** Collectives in which one rank, the root, gives or gets the whole. Collectives says what their
 * forms are and how they fail. */
class RootedCollectives : public Calls {
 public:
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

  /** @name reduce
   * output[n] of rank `root` = op over ranks of input[n]. @{ */
  /** Input and output of the root are of equal size; the output of the others is not looked at and
   * may be empty. Returns when this rank's part is done. */
  template <InputBuffer In, OutputFor<In> Out>
  void reduce(In&& input, Out&& output, Rank root, Reduction<ElementOf<In>> op = Op::sum,
              Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, 1);
    run(weft_reduce(b.input, b.output, b.count, b.type, op.native_handle(), root.value, handle(),
                    stream.handle),
        op.kept());
  }
  /** In place: the result replaces the input of the root; the others keep theirs. */
  template <OutputBuffer B>
  void reduce(B&& buffer, Rank root, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    reduce(buffer, buffer, root, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request reduce_start(In&& input, Out&& output, Rank root, Reduction<ElementOf<In>> op = Op::sum,
                       Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, 1);
    return request(op.kept(), [&](auto* made) {
      return weft_reduce_start(b.input, b.output, b.count, b.type, op.native_handle(), root.value,
                               handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request reduce_start(B&& buffer, Rank root, Reduction<ElementOf<B>> op = Op::sum,
                       Stream stream = {}) {
    return reduce_start(buffer, buffer, root, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation reduce_init(In&& input, Out&& output, Rank root, Reduction<ElementOf<In>> op = Op::sum,
                        Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, 1);
    return operation(op.kept(), [&](auto* made) {
      return weft_reduce_init(b.input, b.output, b.count, b.type, op.native_handle(), root.value,
                              handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation reduce_init(B&& buffer, Rank root, Reduction<ElementOf<B>> op = Op::sum,
                        Stream stream = {}) {
    return reduce_init(buffer, buffer, root, op, stream);
  }
  /** With buffers that the Future owns; what it gives is empty but at the root. */
  template <Element T>
  Future<std::vector<T>> reduce_async(std::vector<T> input, Rank root, Reduction<T> op = Op::sum) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      if (rank() == root) out.resize(in.size());
      return reduce_start(in, out, root, op);
    });
  }
  /** @} */

  /** @name gather
   * output[ranks * n] of rank `root` = the blocks input[n] of all ranks, in order of rank. @{ */
  /** The output of the root is ranks() times as large as its input; that of the others is not
   * looked at and may be empty. Returns when this rank's part is done. */
  template <InputBuffer In, OutputFor<In> Out>
  void gather(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, ranks());
    run(weft_gather(b.input, b.output, b.count, b.type, root.value, handle(), stream.handle),
        nullptr);
  }
  /** In place: the input is block(buffer), on all ranks; other blocks are looked at at the root
   * only. */
  template <OutputBuffer B>
  void gather(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    gather(own, buffer, root, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request gather_start(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, ranks());
    return request(nullptr, [&](auto* made) {
      return weft_gather_start(b.input, b.output, b.count, b.type, root.value, handle(),
                               stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request gather_start(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    return gather_start(own, buffer, root, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation gather_init(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = to_root(input, output, root, ranks());
    return operation(nullptr, [&](auto* made) {
      return weft_gather_init(b.input, b.output, b.count, b.type, root.value, handle(),
                              stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation gather_init(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    return gather_init(own, buffer, root, stream);
  }
  /** With buffers that the Future owns; what it gives is empty but at the root. */
  template <Element T>
  Future<std::vector<T>> gather_async(std::vector<T> input, Rank root) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      if (rank() == root) out.resize(in.size() * ranks());
      return gather_start(in, out, root);
    });
  }
  /** @} */

  /** @name scatter
   * output[n] = block `rank` of input[ranks * n] of rank `root`. @{ */
  /** The input of the root is ranks() times as large as its output; that of the others is not
   * looked at and may be empty. Returns when the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void scatter(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = from_root(input, output, root);
    run(weft_scatter(b.input, b.output, b.count, b.type, root.value, handle(), stream.handle),
        nullptr);
  }
  /** In place: the result is block(buffer), on all ranks; other blocks are left as they are. */
  template <OutputBuffer B>
  void scatter(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    scatter(buffer, own, root, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request scatter_start(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = from_root(input, output, root);
    return request(nullptr, [&](auto* made) {
      return weft_scatter_start(b.input, b.output, b.count, b.type, root.value, handle(),
                                stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request scatter_start(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    return scatter_start(buffer, own, root, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation scatter_init(In&& input, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = from_root(input, output, root);
    return operation(nullptr, [&](auto* made) {
      return weft_scatter_init(b.input, b.output, b.count, b.type, root.value, handle(),
                               stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation scatter_init(B&& buffer, Rank root, Stream stream = {}) {
    auto own = block(buffer);
    return scatter_init(buffer, own, root, stream);
  }
  /** With buffers that the Future owns; the input's size is the same on all ranks. */
  template <Element T>
  Future<std::vector<T>> scatter_async(std::vector<T> input, Rank root) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out.resize(in.size() / ranks());
      return scatter_start(in, out, root);
    });
  }
  /** @} */

 protected:
  /** Of nobody. */
  RootedCollectives() = default;
  /** The one moved from belongs to nobody. */
  RootedCollectives(RootedCollectives&&) noexcept = default;
  /** The same; leaves the communicator it was of, if nothing else holds that. */
  RootedCollectives& operator=(RootedCollectives&&) noexcept = default;
  /** Leaves it, if nothing else that was made from it holds it. */
  ~RootedCollectives() = default;

 private:
  // The output has `blocks` times the input, where it is looked at.
  template <class In, class Out>
  detail::Buffers to_root(In& input, Out& output, Rank root, std::size_t blocks) const {
    if (rank() == root) return detail::fit(input, output, 1, blocks);
    const auto own = detail::erased<const void>(input);
    return {own.data, nullptr, own.count, own.type};
  }
  template <class In, class Out>
  detail::Buffers from_root(In& input, Out& output, Rank root) const {
    if (rank() == root) return detail::fit(input, output, ranks(), 1);
    const auto own = detail::erased<void>(output);
    return {nullptr, own.data, own.count, own.type};
  }
};

}  // namespace v0
}  // namespace weft
