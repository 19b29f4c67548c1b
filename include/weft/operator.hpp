/**
 * @file operator.hpp
 * @brief Reductions: the built-in Op, and operators of the program's own.
 *
 * Lifetime: calls that use an Operator keep what they need of it. Threads: made and destroyed on
 * the thread of its communicator; its function runs on the thread that drives.
 */
#pragma once
#include <concepts>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "weft/buffer.hpp"
#include "weft/group.hpp"

namespace weft {
inline namespace v0 {

/** Whether the operands of an operator may change places; if not, they stand in order of ranks. */
enum class Commutes : bool {
  no = false,  ///< a op b may differ from b op a
  yes = true   ///< they are the same, so operands may change places
};

namespace detail {

/** An operator of one communicator, and the callable behind it. */
class MadeOperator {
 public:
  MadeOperator(Member member) : member_(std::move(member)) {}
  MadeOperator(const MadeOperator&) = delete;
  MadeOperator& operator=(const MadeOperator&) = delete;
  virtual ~MadeOperator() {
    if (is_made_) weft_op_destroy(op_, member_->handle);
  }
  weft_op_t op() const noexcept { return op_; }

  template <class Make>
  void make(Make make) {
    check(make(&op_, member_->handle));
    is_made_ = true;
  }

 private:
  Member member_;
  weft_op_t op_ = weft_sum;
  bool is_made_ = false;
};

template <class T, class Function>
class OperatorOf final : public MadeOperator {
 public:
  OperatorOf(Member member, Function function, Commutes commutes)
      : MadeOperator(std::move(member)), function_(std::move(function)) {
    make([&](weft_op_t* op, weft_comm_t comm) {
      return weft_op_create(op, enter, &function_, commutes == Commutes::yes, comm);
    });
  }

 private:
  // Elements are copied in and out, so T needs no alignment of the buffers.
  static void enter(const void* left, const void* right, void* result, std::size_t count,
                    weft_datatype_t, void* function) noexcept {
    Function& combine = *static_cast<Function*>(function);
    for (std::size_t at = 0; at < count * sizeof(T); at += sizeof(T)) {
      T operands[2];
      std::memcpy(&operands[0], static_cast<const char*>(left) + at, sizeof(T));
      std::memcpy(&operands[1], static_cast<const char*>(right) + at, sizeof(T));
      const T combined =
          std::invoke(combine, std::as_const(operands[0]), std::as_const(operands[1]));
      std::memcpy(static_cast<char*>(result) + at, &combined, sizeof(T));
    }
  }
  Function function_;
};

template <class Function>
class BytesOperator final : public MadeOperator {
 public:
  BytesOperator(Member member, Function function, Commutes commutes)
      : MadeOperator(std::move(member)), function_(std::move(function)) {
    make([&](weft_op_t* op, weft_comm_t comm) {
      return weft_op_create(op, enter, &function_, commutes == Commutes::yes, comm);
    });
  }

 private:
  static void enter(const void* left, const void* right, void* result, std::size_t count,
                    weft_datatype_t type, void* function) noexcept {
    const std::size_t bytes = count * weft_datatype_bytes(type);
    std::invoke(*static_cast<Function*>(function),
                std::span(static_cast<const std::byte*>(left), bytes),
                std::span(static_cast<const std::byte*>(right), bytes),
                std::span(static_cast<std::byte*>(result), bytes), DataType(int(type)));
  }
  Function function_;
};

}  // namespace detail

/** An operator on elements of type T that Communicator::make_operator or make_premul_sum made, for
 * calls of that communicator. T is std::byte for typed() buffers. */
template <class T>
class [[nodiscard]] Operator {
 public:
  /** For Communicator, which makes them. */
  explicit Operator(std::shared_ptr<const detail::MadeOperator> made) : made_(std::move(made)) {}
  /** Of the one moved from only destruction and assignment are left. */
  Operator(Operator&&) noexcept = default;
  /** Lets go of the operator held before, as soon as no call needs it. */
  Operator& operator=(Operator&&) noexcept = default;
  /** For the C API; stays owned by this object. */
  weft_op_t native_handle() const noexcept { return made_->op(); }

 private:
  template <class>
  friend class Reduction;
  std::shared_ptr<const detail::MadeOperator> made_;
};

/** What a call on elements of type T takes as its operator: an Op or an Operator<T>. */
template <class T>
class Reduction {
 public:
  /** A built-in one. Whether it means something for T is for the call to say. */
  constexpr Reduction(Op op) noexcept : op_(static_cast<weft_op_t>(op)) {}
  /** One of the program's own, shared with `made`. */
  Reduction(const Operator<T>& made) noexcept : op_(made.native_handle()), kept_(made.made_) {}
  /** For the C API; valid while this object lives. */
  weft_op_t native_handle() const noexcept { return op_; }
  /** What must live until the call has ended; null for a built-in one. */
  const std::shared_ptr<const void>& kept() const noexcept { return kept_; }

 private:
  weft_op_t op_;
  std::shared_ptr<const void> kept_;
};

}  // namespace v0
}  // namespace weft
