/**
 * @file communicator.hpp
 * @brief One rank's membership in a group of ranks.
 *
 * Lifetime: the destructor leaves the communicator, which waits up to 10 s for the other ranks to
 * leave too; it never throws. Requests, operations, operators and registrations keep the membership
 * alive: they should be gone before. Threads: one at a time, but abort() and state() from any;
 * different communicators are independent.
 */
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/collectives.hpp"
#include "weft/config.hpp"
#include "weft/memory.hpp"

namespace weft {
inline namespace v0 {

/**
 * A communicator. Moves only; a moved-from or default constructed one belongs to nobody.
 * Its collectives are those of Collectives.
 */
class Communicator : public Collectives {
 public:
  /** Belongs to nobody; what needs a communicator throws Error (invalid_argument). */
  Communicator() = default;

  /** Joins as the launcher says: mpirun, srun, torchrun, or RANK, WORLD_SIZE and WEFT_UNIQUE_ID;
   * without a launcher, one rank. Returns once all ranks have joined. */
  static Communicator from_environment(const Config& config = {}) {
    return make(config, weft_comm_create_from_environment);
  }
  /** Joins as `rank` of `ranks`. Returns once all ranks have joined; in a Group at once, and
   * Group::end joins. */
  static Communicator join(const UniqueId& id, Rank rank, std::size_t ranks,
                           const Config& config = {}) {
    return make(config, [&](weft_comm_t* comm, const weft_config_t* c_config) {
      return weft_comm_create(comm, static_cast<int>(ranks), rank.value, &id.data(), c_config);
    });
  }
  /** A communicator of the ranks with the same colour, ordered by key, then by rank. Collective;
   * independent of this one. The node is always that of this one; the rest of `config` as this one
   * where left out. Throws on all ranks of the colour if one of them fails. */
  Communicator split(Color color, Key key = {}, const Config& config = {}) {
    return make(config, [&](weft_comm_t* comm, const weft_config_t* c_config) {
      return weft_comm_split(handle(), color.value, key.value, comm, c_config);
    });
  }
  /** The same for ranks that may stay out: without a colour, nothing is made. */
  std::optional<Communicator> split(std::optional<Color> color, Key key = {},
                                    const Config& config = {}) {
    if (color) return split(*color, key, config);
    weft_comm_t nothing = nullptr;
    detail::check(weft_comm_split(handle(), WEFT_NO_COLOR, key.value, &nothing, nullptr));
    return std::nullopt;
  }
  /** A communicator of the same ranks in the same order. Collective, as split(). */
  Communicator duplicate(const Config& config = {}) {
    return make(config, [&](weft_comm_t* comm, const weft_config_t* c_config) {
      return weft_comm_dup(handle(), comm, c_config);
    });
  }

  /** After ranks have been lost: a communicator of those that are left, in the order of their
   * ranks. Collective over them; of this one only the destructor is left to call. Throws Error:
   * aborted where this rank is the one that was given up. */
  Communicator shrink(const Config& config = {}) {
    return make(config, [&](weft_comm_t* comm, const weft_config_t* c_config) {
      return weft_comm_shrink(handle(), comm, c_config);
    });
  }

  /** Ends the use of it: waits until every call has ended and all ranks have come. Collective.
   * Afterwards only questions, and the destructor, which then waits for nobody. */
  void finalize() {
    const weft_result_t result = weft_comm_finalize(handle());
    if (result == weft_ok || result == weft_in_progress) member_->is_leaving = true;
    if (result != weft_in_progress) detail::check(result);
  }
  /** Ends all calls here and on all ranks with Code::aborted. Never waits; from any thread. */
  void abort() { detail::check(weft_comm_abort(handle())); }
  /** ok, in_progress (being made or finalized), or the code of the first error. From any thread. */
  Code state() const {
    weft_result_t state = weft_ok;
    detail::check(weft_comm_get_async_error(handle(), &state));
    return Code(int(state));
  }

  /** What it knows of itself; asks no other rank. Throws Error as rank(). */
  Info info() const {
    weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
    detail::check(weft_comm_info(handle(), &info));
    return {info.node,
            info.nodes,
            info.local_rank,
            info.local_ranks,
            info.rails,
            info.node_name,
            info.shape,
            info.transport_in_node,
            info.transport_between_nodes,
            info.order};
  }
  /** Which schedule a call with `count` elements takes, and why, in a line. */
  std::string explain(Collective collective, std::size_t count, DataType type,
                      Op op = Op::sum) const {
    std::string text(1024, '\0');
    detail::check(weft_explain(handle(), static_cast<weft_collective_t>(collective), count,
                               static_cast<weft_datatype_t>(type), static_cast<weft_op_t>(op),
                               text.data(), text.size()));
    text.resize(text.find('\0'));
    return text;
  }
  /** For the C API; stays owned by this object. NULL if it belongs to nobody. */
  weft_comm_t native_handle() const noexcept { return handle(); }
  /** Whether it belongs to somebody; within a Group that makes it, not yet. */
  explicit operator bool() const noexcept { return handle() != nullptr; }

  /** An associative operator on elements of T: `combine(left, right)` gives the result, of two
   * `const T&`. For T = std::byte, which is for typed() buffers: `combine(left, right, result,
   * type)` of three spans of bytes; result is left or right exactly, or apart from both. It must
   * not throw (std::terminate) nor call this library. Every rank makes the same operators in the
   * same order. */
  template <class T, class Function>
  Operator<T> make_operator(Function combine, Commutes commutes = Commutes::yes) {
    if constexpr (std::same_as<T, std::byte>)
      return Operator<T>(std::make_shared<detail::BytesOperator<Function>>(
          member_or_throw(), std::move(combine), commutes));
    else
      return Operator<T>(std::make_shared<detail::OperatorOf<T, Function>>(
          member_or_throw(), std::move(combine), commutes));
  }
  /** The sum of every rank's input times that rank's scalar, which may differ from rank to rank.
   * The product is rounded to T before it is added. */
  template <Element T>
  Operator<T> make_premul_sum(T scalar) {
    auto made = std::make_shared<detail::MadeOperator>(member_or_throw());
    made->make([&](weft_op_t* op, weft_comm_t comm) {
      return weft_op_create_premul_sum(op, &scalar,
                                       static_cast<weft_datatype_t>(ElementType<T>::value), comm);
    });
    return Operator<T>(std::move(made));
  }
  /** Tells transports of memory that will be used often; local. */
  Registration register_memory(std::span<std::byte> memory) {
    weft_memory_t registration = nullptr;
    detail::check(weft_mem_register(handle(), memory.data(), memory.size(), &registration));
    return {registration, member_};
  }

 private:
  explicit Communicator(detail::Member member) { member_ = std::move(member); }

  template <class Make>
  static Communicator make(const Config& config, Make make) {
    const weft_config_t c_config = detail::c_config(config);
    auto member = std::make_shared<detail::Membership>();
    const weft_result_t result = make(&member->handle, &c_config);
    if (result != weft_in_progress) detail::check(result);
    detail::recorded().add(member, nullptr);
    return Communicator(std::move(member));
  }
};

}  // namespace v0
}  // namespace weft
