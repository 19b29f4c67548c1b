/**
 * @file uneven.hpp
 * @brief The collectives of a Communicator on blocks of any size.
 *
 * Lifetime and threads: as Communicator, whose base this is.
 */
#pragma once
#include <algorithm>
#include <span>
#include <string>

#include "weft/rooted.hpp"

namespace weft {
inline namespace v0 {

/**
 * Where the blocks of the ranks lie in a buffer, block r being that of rank r: a vector, array or
 * span of counts, or `{counts, displacements}`. In elements; borrowed for the call alone, whose
 * request or operation keeps a copy.
 */
struct Blocks {
  std::span<const std::size_t> counts;              ///< elements of each block, 0 too
  std::span<const std::size_t> displacements = {};  ///< where each begins; empty: no gaps

  /** Blocks that follow one another. */
  template <std::convertible_to<std::span<const std::size_t>> Counts>
  Blocks(const Counts& all) : counts(all) {}
  /** Blocks at any place. */
  Blocks(std::span<const std::size_t> all, std::span<const std::size_t> places)
      : counts(all), displacements(places) {}

  /** Block `rank` of a buffer: a span, or typed() bytes. Throws Error (invalid_argument) if there
   * is no such block, or the buffer is too small for it. */
  template <InputBuffer B>
  auto of(B&& buffer, Rank rank) const {
    if (rank.value < 0 || rank.index() >= counts.size())
      throw Error(Code::invalid_argument,
                  "there is no block of rank " + std::to_string(rank.value));
    check(counts.size(), "buffer", detail::erased<const void>(buffer).count);
    std::size_t first = 0;
    for (std::size_t r = 0; r < rank.index(); ++r) first += counts[r];
    if (!displacements.empty()) first = displacements[rank.index()];
    const std::size_t count = counts[rank.index()];
    return detail::part_of(buffer, count == 0 ? 0 : first, count);
  }
  /** Throws Error (invalid_argument) unless there is a block for each of `ranks` within `size`
   * elements of the buffer that `name` names. */
  void check(std::size_t ranks, const char* name, std::size_t size) const {
    check_length(counts.size(), ranks, "counts");
    if (!displacements.empty()) check_length(displacements.size(), ranks, "displacements");
    std::size_t end = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t first = displacements.empty() ? end : displacements[r];
      if (counts[r] == 0) continue;
      if (first > size || counts[r] > size - first)
        throw Error(Code::invalid_argument,
                    "the " + std::string(name) + " has " + std::to_string(size) +
                        " elements: the block of rank " + std::to_string(r) + " begins at " +
                        std::to_string(first) + " and has " + std::to_string(counts[r]));
      end = first + counts[r];
    }
  }
  /** For the C API; NULL if there are none. */
  const std::size_t* displacements_or_null() const noexcept {
    return displacements.empty() ? nullptr : displacements.data();
  }

 private:
  static void check_length(std::size_t given, std::size_t wanted, const char* what) {
    if (given != wanted)
      throw Error(Code::invalid_argument, "there are " + std::to_string(given) + " " + what +
                                              " for " + std::to_string(wanted) + " ranks");
  }
};

/**
 * Collectives on blocks of any size. Collectives says what their forms are and how they fail; none
 * has an `_async`. A buffer may be larger than its blocks; what lies between and behind them is
 * left as it is. Blocks that are received may not overlap. Both sides of a message give the same
 * count: one that finds another ends in an Error on all ranks.
 */
class UnevenCollectives : public RootedCollectives {
 public:
  /** @name gatherv
   * Block r of the output of rank `root` = the input of rank r. @{ */
  /** Output and blocks of the others than the root are not looked at and may be empty. Returns when
   * this rank's part is done. */
  template <InputBuffer In, OutputFor<In> Out>
  void gatherv(In&& input, Out&& output, const Blocks& received, Rank root, Stream stream = {}) {
    const detail::Buffers b = one_block_to_all(input, output, received, root);
    run(weft_gatherv(b.input, b.count, b.output, received.counts.data(),
                     received.displacements_or_null(), b.type, root.value, handle(), stream.handle),
        nullptr);
  }
  /** In place: the input is received.of(buffer, rank()), on all ranks; other blocks are looked at
   * at the root only. */
  template <OutputBuffer B>
  void gatherv(B&& buffer, const Blocks& received, Rank root, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    gatherv(own, buffer, received, root, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request gatherv_start(In&& input, Out&& output, const Blocks& received, Rank root,
                        Stream stream = {}) {
    const detail::Buffers b = one_block_to_all(input, output, received, root);
    return request(nullptr, [&](auto* made) {
      return weft_gatherv_start(b.input, b.count, b.output, received.counts.data(),
                                received.displacements_or_null(), b.type, root.value, handle(),
                                stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request gatherv_start(B&& buffer, const Blocks& received, Rank root, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    return gatherv_start(own, buffer, received, root, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation gatherv_init(In&& input, Out&& output, const Blocks& received, Rank root,
                         Stream stream = {}) {
    const detail::Buffers b = one_block_to_all(input, output, received, root);
    return operation(nullptr, [&](auto* made) {
      return weft_gatherv_init(b.input, b.count, b.output, received.counts.data(),
                               received.displacements_or_null(), b.type, root.value, handle(),
                               stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation gatherv_init(B&& buffer, const Blocks& received, Rank root, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    return gatherv_init(own, buffer, received, root, stream);
  }
  /** @} */

  /** @name scatterv
   * The output of rank r = block r of the input of rank `root`. @{ */
  /** Input and blocks of the others than the root are not looked at and may be empty. Returns when
   * the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void scatterv(In&& input, const Blocks& sent, Out&& output, Rank root, Stream stream = {}) {
    const detail::Buffers b = all_to_one_block(input, sent, output, root);
    run(weft_scatterv(b.input, sent.counts.data(), sent.displacements_or_null(), b.output, b.count,
                      b.type, root.value, handle(), stream.handle),
        nullptr);
  }
  /** In place: the result is sent.of(buffer, rank()), on all ranks; other blocks are left as they
   * are. */
  template <OutputBuffer B>
  void scatterv(B&& buffer, const Blocks& sent, Rank root, Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    scatterv(buffer, sent, own, root, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request scatterv_start(In&& input, const Blocks& sent, Out&& output, Rank root,
                         Stream stream = {}) {
    const detail::Buffers b = all_to_one_block(input, sent, output, root);
    return request(nullptr, [&](auto* made) {
      return weft_scatterv_start(b.input, sent.counts.data(), sent.displacements_or_null(),
                                 b.output, b.count, b.type, root.value, handle(), stream.handle,
                                 made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request scatterv_start(B&& buffer, const Blocks& sent, Rank root, Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    return scatterv_start(buffer, sent, own, root, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation scatterv_init(In&& input, const Blocks& sent, Out&& output, Rank root,
                          Stream stream = {}) {
    const detail::Buffers b = all_to_one_block(input, sent, output, root);
    return operation(nullptr, [&](auto* made) {
      return weft_scatterv_init(b.input, sent.counts.data(), sent.displacements_or_null(), b.output,
                                b.count, b.type, root.value, handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation scatterv_init(B&& buffer, const Blocks& sent, Rank root, Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    return scatterv_init(buffer, sent, own, root, stream);
  }
  /** @} */

  /** @name all_gatherv
   * Block r of the output = the input of rank r. All ranks give the same counts. @{ */
  /** The input is as large as this rank's block. Returns when the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void all_gatherv(In&& input, Out&& output, const Blocks& received, Stream stream = {}) {
    const detail::Buffers b = own_block_to_all(input, output, received);
    run(weft_all_gatherv(b.input, b.output, received.counts.data(),
                         received.displacements_or_null(), b.type, handle(), stream.handle),
        nullptr);
  }
  /** In place: the input is received.of(buffer, rank()). */
  template <OutputBuffer B>
  void all_gatherv(B&& buffer, const Blocks& received, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    all_gatherv(own, buffer, received, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_gatherv_start(In&& input, Out&& output, const Blocks& received, Stream stream = {}) {
    const detail::Buffers b = own_block_to_all(input, output, received);
    return request(nullptr, [&](auto* made) {
      return weft_all_gatherv_start(b.input, b.output, received.counts.data(),
                                    received.displacements_or_null(), b.type, handle(),
                                    stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_gatherv_start(B&& buffer, const Blocks& received, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    return all_gatherv_start(own, buffer, received, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_gatherv_init(In&& input, Out&& output, const Blocks& received, Stream stream = {}) {
    const detail::Buffers b = own_block_to_all(input, output, received);
    return operation(nullptr, [&](auto* made) {
      return weft_all_gatherv_init(b.input, b.output, received.counts.data(),
                                   received.displacements_or_null(), b.type, handle(),
                                   stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_gatherv_init(B&& buffer, const Blocks& received, Stream stream = {}) {
    auto own = received.of(buffer, rank());
    return all_gatherv_init(own, buffer, received, stream);
  }
  /** @} */

  /** @name reduce_scatterv
   * The output of rank r = op over ranks of block r of the input. All ranks give the same counts.
   * @{ */
  /** The output is as large as this rank's block. Returns when the output holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void reduce_scatterv(In&& input, Out&& output, const Blocks& sent,
                       Reduction<ElementOf<In>> op = Op::sum, Stream stream = {}) {
    const detail::Buffers b = all_to_own_block(input, output, sent);
    run(weft_reduce_scatterv(b.input, b.output, sent.counts.data(), sent.displacements_or_null(),
                             b.type, op.native_handle(), handle(), stream.handle),
        op.kept());
  }
  /** In place: the result is sent.of(buffer, rank()); the other blocks are left as they are. */
  template <OutputBuffer B>
  void reduce_scatterv(B&& buffer, const Blocks& sent, Reduction<ElementOf<B>> op = Op::sum,
                       Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    reduce_scatterv(buffer, own, sent, op, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request reduce_scatterv_start(In&& input, Out&& output, const Blocks& sent,
                                Reduction<ElementOf<In>> op = Op::sum, Stream stream = {}) {
    const detail::Buffers b = all_to_own_block(input, output, sent);
    return request(op.kept(), [&](auto* made) {
      return weft_reduce_scatterv_start(b.input, b.output, sent.counts.data(),
                                        sent.displacements_or_null(), b.type, op.native_handle(),
                                        handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request reduce_scatterv_start(B&& buffer, const Blocks& sent,
                                Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    return reduce_scatterv_start(buffer, own, sent, op, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation reduce_scatterv_init(In&& input, Out&& output, const Blocks& sent,
                                 Reduction<ElementOf<In>> op = Op::sum, Stream stream = {}) {
    const detail::Buffers b = all_to_own_block(input, output, sent);
    return operation(op.kept(), [&](auto* made) {
      return weft_reduce_scatterv_init(b.input, b.output, sent.counts.data(),
                                       sent.displacements_or_null(), b.type, op.native_handle(),
                                       handle(), stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation reduce_scatterv_init(B&& buffer, const Blocks& sent,
                                 Reduction<ElementOf<B>> op = Op::sum, Stream stream = {}) {
    auto own = sent.of(buffer, rank());
    return reduce_scatterv_init(buffer, own, sent, op, stream);
  }
  /** @} */

  /** @name all_to_allv
   * Block r of the output = block `rank` of the input of rank r. @{ */
  /** `sent` are the blocks of the input, `received` those of the output. Returns when the output
   * holds the result. */
  template <InputBuffer In, OutputFor<In> Out>
  void all_to_allv(In&& input, const Blocks& sent, Out&& output, const Blocks& received,
                   Stream stream = {}) {
    const detail::Buffers b = all_to_all_blocks(input, sent, output, received);
    run(weft_all_to_allv(b.input, sent.counts.data(), sent.displacements_or_null(), b.output,
                         received.counts.data(), received.displacements_or_null(), b.type, handle(),
                         stream.handle),
        nullptr);
  }
  /** In place: what is received replaces what is sent. Costs a copy. */
  template <OutputBuffer B>
  void all_to_allv(B&& buffer, const Blocks& sent, const Blocks& received, Stream stream = {}) {
    all_to_allv(buffer, sent, buffer, received, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_to_allv_start(In&& input, const Blocks& sent, Out&& output, const Blocks& received,
                            Stream stream = {}) {
    const detail::Buffers b = all_to_all_blocks(input, sent, output, received);
    return request(nullptr, [&](auto* made) {
      return weft_all_to_allv_start(b.input, sent.counts.data(), sent.displacements_or_null(),
                                    b.output, received.counts.data(),
                                    received.displacements_or_null(), b.type, handle(),
                                    stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_to_allv_start(B&& buffer, const Blocks& sent, const Blocks& received,
                            Stream stream = {}) {
    return all_to_allv_start(buffer, sent, buffer, received, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_to_allv_init(In&& input, const Blocks& sent, Out&& output, const Blocks& received,
                             Stream stream = {}) {
    const detail::Buffers b = all_to_all_blocks(input, sent, output, received);
    return operation(nullptr, [&](auto* made) {
      return weft_all_to_allv_init(b.input, sent.counts.data(), sent.displacements_or_null(),
                                   b.output, received.counts.data(),
                                   received.displacements_or_null(), b.type, handle(),
                                   stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_to_allv_init(B&& buffer, const Blocks& sent, const Blocks& received,
                             Stream stream = {}) {
    return all_to_allv_init(buffer, sent, buffer, received, stream);
  }
  /** @} */

  /** @name all_to_allvc
   * As all_to_allv without gaps, with all that is sent known to all: from rank f to rank t go
   * counts[f * ranks + t] elements. So calls that differ are found before anything has moved. @{ */
  /** There are ranks() * ranks() counts, the same on all ranks. Returns when the output holds the
   * result. */
  template <InputBuffer In, OutputFor<In> Out>
  void all_to_allvc(In&& input, Out&& output, std::span<const std::size_t> counts,
                    Stream stream = {}) {
    const detail::Buffers b = all_counts(input, output, counts);
    run(weft_all_to_allvc(b.input, b.output, counts.data(), b.type, handle(), stream.handle),
        nullptr);
  }
  /** In place: what is received replaces what is sent. Costs a copy. */
  template <OutputBuffer B>
  void all_to_allvc(B&& buffer, std::span<const std::size_t> counts, Stream stream = {}) {
    all_to_allvc(buffer, buffer, counts, stream);
  }
  /** Returns at once; both buffers are the library's until the request ends. */
  template <InputBuffer In, OutputFor<In> Out>
  Request all_to_allvc_start(In&& input, Out&& output, std::span<const std::size_t> counts,
                             Stream stream = {}) {
    const detail::Buffers b = all_counts(input, output, counts);
    return request(nullptr, [&](auto* made) {
      return weft_all_to_allvc_start(b.input, b.output, counts.data(), b.type, handle(),
                                     stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Request all_to_allvc_start(B&& buffer, std::span<const std::size_t> counts, Stream stream = {}) {
    return all_to_allvc_start(buffer, buffer, counts, stream);
  }
  /** Plans it; both buffers must outlive the operation. */
  template <InputBuffer In, OutputFor<In> Out>
  Operation all_to_allvc_init(In&& input, Out&& output, std::span<const std::size_t> counts,
                              Stream stream = {}) {
    const detail::Buffers b = all_counts(input, output, counts);
    return operation(nullptr, [&](auto* made) {
      return weft_all_to_allvc_init(b.input, b.output, counts.data(), b.type, handle(),
                                    stream.handle, made);
    });
  }
  /** The same in place. */
  template <OutputBuffer B>
  Operation all_to_allvc_init(B&& buffer, std::span<const std::size_t> counts, Stream stream = {}) {
    return all_to_allvc_init(buffer, buffer, counts, stream);
  }
  /** @} */

 protected:
  /** Of nobody. */
  UnevenCollectives() = default;
  /** The one moved from belongs to nobody. */
  UnevenCollectives(UnevenCollectives&&) noexcept = default;
  /** The same; leaves the communicator it was of, if nothing else holds that. */
  UnevenCollectives& operator=(UnevenCollectives&&) noexcept = default;
  /** Leaves it, if nothing else that was made from it holds it. */
  ~UnevenCollectives() = default;

 private:
  void check_own(const char* name, std::size_t size, const Blocks& blocks) const {
    const std::size_t wanted = blocks.counts[rank().index()];
    if (size != wanted)
      throw Error(Code::invalid_argument,
                  "the " + std::string(name) + " has " + std::to_string(size) +
                      " elements, and the counts give this rank " + std::to_string(wanted));
  }

  // Each: the buffers of a call that fit it; count is that of this rank's own block, where C asks.
  template <class In, class Out>
  detail::Buffers own_block_to_all(In& in, Out& out, const Blocks& received) const {
    const detail::Buffers b = detail::of_one_type(in, out);
    received.check(ranks(), "output", detail::erased<void>(out).count);
    check_own("input", b.count, received);
    return b;
  }
  template <class In, class Out>
  detail::Buffers all_to_own_block(In& in, Out& out, const Blocks& sent) const {
    detail::Buffers b = detail::of_one_type(in, out);
    sent.check(ranks(), "input", b.count);
    b.count = detail::erased<void>(out).count;
    check_own("output", b.count, sent);
    return b;
  }
  template <class In, class Out>
  detail::Buffers one_block_to_all(In& in, Out& out, const Blocks& received, Rank root) const {
    if (rank() == root) return own_block_to_all(in, out, received);
    const auto own = detail::erased<const void>(in);
    return {own.data, nullptr, own.count, own.type};
  }
  template <class In, class Out>
  detail::Buffers all_to_one_block(In& in, const Blocks& sent, Out& out, Rank root) const {
    if (rank() == root) return all_to_own_block(in, out, sent);
    const auto own = detail::erased<void>(out);
    return {nullptr, own.data, own.count, own.type};
  }
  template <class In, class Out>
  detail::Buffers all_to_all_blocks(In& in, const Blocks& sent, Out& out,
                                    const Blocks& received) const {
    const detail::Buffers b = detail::of_one_type(in, out);
    sent.check(ranks(), "input", b.count);
    received.check(ranks(), "output", detail::erased<void>(out).count);
    return b;
  }
  template <class In, class Out>
  detail::Buffers all_counts(In& in, Out& out, std::span<const std::size_t> counts) const {
    const detail::Buffers b = detail::of_one_type(in, out);
    const std::size_t all = ranks(), own = rank().index();
    if (counts.size() != all * all)
      throw Error(Code::invalid_argument, "there are " + std::to_string(counts.size()) +
                                              " counts, and not one for each of " +
                                              std::to_string(all) + " ranks to each");
    std::size_t to_send = b.count, to_receive = detail::erased<void>(out).count;
    for (std::size_t peer = 0; peer < all; ++peer) {
      take(to_send, counts[own * all + peer], "input");
      take(to_receive, counts[peer * all + own], "output");
    }
    return b;
  }
  static void take(std::size_t& left, std::size_t count, const char* name) {
    if (count > left)
      throw Error(Code::invalid_argument, "the " + std::string(name) +
                                              " has fewer elements than the counts give this rank");
    left -= count;
  }
};

}  // namespace v0
}  // namespace weft
