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
#include <utility>
#include <vector>

#include "weft/uneven.hpp"

namespace weft {
inline namespace v0 {

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
class Collectives : public UnevenCollectives {
 public:
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

  /** @name all_to_all
   * Block r of output[ranks * n] = block `rank` of input[ranks * n] of rank r. @{ */
  /** Input and output are of equal size, ranks() blocks. Returns when the output holds the result.
   */
  template <InputBuffer In, OutputFor<In> Out>
  void all_to_all(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = blocks_for_blocks(input, output);
    run(weft_all_to_all(b.input, b.output, b.count, b.type, handle(), stream.handle), nullptr);
  }
  /** In place: what is received replaces what is sent. Costs a copy of the buffer. */
  template <OutputBuffer B>
  void all_to_all(B&& buffer, Stream stream = {}) {
    all_to_all(buffer, buffer, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_to_all_start(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = blocks_for_blocks(input, output);
    return request(nullptr, [&](auto* made) {
      return weft_all_to_all_start(b.input, b.output, b.count, b.type, handle(), stream.handle,
                                   made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_to_all_start(B&& buffer, Stream stream = {}) {
    return all_to_all_start(buffer, buffer, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_to_all_init(In&& input, Out&& output, Stream stream = {}) {
    const detail::Buffers b = blocks_for_blocks(input, output);
    return operation(nullptr, [&](auto* made) {
      return weft_all_to_all_init(b.input, b.output, b.count, b.type, handle(), stream.handle,
                                  made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_to_all_init(B&& buffer, Stream stream = {}) {
    return all_to_all_init(buffer, buffer, stream);
  }
  /** With buffers that the Future owns. */
  template <Element T>
  Future<std::vector<T>> all_to_all_async(std::vector<T> input) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out.resize(in.size());
      return all_to_all_start(in, out);
    });
  }
  /** @} */

  /** @name scan
   * output[n] = op over ranks 0 to `rank` of input[n]. Op::avg means nothing here. @{ */
  /** Input and output are of equal size. Returns when the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void scan(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    run(weft_scan(b.input, b.output, b.count, b.type, op.native_handle(), handle(), stream.handle),
        op.kept());
  }
  /** In place: the result replaces the input. */
  template <OutputBuffer B>
  void scan(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    scan(buffer, buffer, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request scan_start(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                     Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return request(op.kept(), [&](auto* made) {
      return weft_scan_start(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                             stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request scan_start(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return scan_start(buffer, buffer, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation scan_init(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                      Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return operation(op.kept(), [&](auto* made) {
      return weft_scan_init(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                            stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation scan_init(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return scan_init(buffer, buffer, op, stream);
  }
  /** With buffers that the Future owns. */
  template <Element T>
  Future<std::vector<T>> scan_async(std::vector<T> input, Reduction<T> op = Op::sum) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out = std::move(in);
      return scan_start(out, op);
    });
  }
  /** @} */

  /** @name exscan
   * output[n] = op over ranks 0 to `rank` - 1 of input[n]; at rank 0 the output is left as it is.
   * Op::avg means nothing here. @{ */
  /** Input and output are of equal size, also at rank 0. Returns when the output holds the result.
   */
  template <InputBuffer In, OutputFor<In> Out>
  void exscan(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum, Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    run(weft_exscan(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                    stream.handle),
        op.kept());
  }
  /** In place: the result replaces the input, which rank 0 keeps. */
  template <OutputBuffer B>
  void exscan(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    exscan(buffer, buffer, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request exscan_start(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                       Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return request(op.kept(), [&](auto* made) {
      return weft_exscan_start(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                               stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request exscan_start(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return exscan_start(buffer, buffer, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation exscan_init(In&& input, Out&& output, Reduction<ElementOf<In>> op = Op::sum,
                        Stream stream = {}) {
    const detail::Buffers b = detail::fit(input, output, 1, 1);
    return operation(op.kept(), [&](auto* made) {
      return weft_exscan_init(b.input, b.output, b.count, b.type, op.native_handle(), handle(),
                              stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation exscan_init(B&& buffer, Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    return exscan_init(buffer, buffer, op, stream);
  }
  /** With buffers that the Future owns; rank 0 gets zeros. */
  template <Element T>
  Future<std::vector<T>> exscan_async(std::vector<T> input, Reduction<T> op = Op::sum) {
    return future<T>(std::move(input), [&](auto& in, auto& out) {
      out.resize(in.size());
      return exscan_start(in, out, op);
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
  /** Of nobody. */
  Collectives() = default;
  /** The one moved from belongs to nobody. */
  Collectives(Collectives&&) noexcept = default;
  /** The same; leaves the communicator it was of, if nothing else holds that. */
  Collectives& operator=(Collectives&&) noexcept = default;
  /** Leaves it, if nothing else that was made from it holds it. */
  ~Collectives() = default;

 private:
  template <class In, class Out>
  detail::Buffers blocks_for_blocks(In& input, Out& output) const {
    detail::Buffers b = detail::fit(input, output, 1, 1);
    b.count = detail::elements_of_block(b.count, ranks());
    return b;
  }
};

}  // namespace v0
}  // namespace weft
