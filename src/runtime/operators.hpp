// The operators a call may name, and how each is carried out.
//
// Numbers are those of weft_op_t: the built-in ones, two that keep partial results wide, and from
// `first_made` on those a program makes at run time. Ranks make the same ones in the same order, so
// a number means the same on all of them. Threads: those of the communicator.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "executor/operation.hpp"
#include "runtime/user_operator.hpp"

namespace weft::runtime {

// Which orders of operands give a call its result.
enum class Need : u8 {
  any,      // bits do not depend on it
  sums,     // the order the communicator keeps for float sums
  by_rank,  // operands stand in the order of ranks: a user's operator that does not commute
};

// How a call reduces. Parameters live as long as the communicator or the request.
struct Recipe {
  Reduction reduce;
  executor::Map before, scale, after;
  DataType combined = DataType::uint8;  // what travels
  Need need = Need::any;
  std::shared_ptr<const void> made;  // an operator made at run time: it stays while it is used
};

// Elements as they are: what a call reads that must not read its own buffer.
executor::Map image_of(DataType type);

class Operators {
 public:
  static constexpr u32 sum_wide = 13, avg_wide = 14, first_made = 64, most_made = 1024;

  explicit Operators(u32 ranks) : ranks_(ranks) {}

  // By number; an error where the operator means nothing for the type or is not there.
  // `user` is the request's, which the recipe may point to.
  Result<Recipe> recipe(u32 op, DataType type, UserReduction& user) const;

  Result<u32> make(UserFunction function, void* context, bool commutes);
  Result<u32> make_premul_sum(const void* scalar, DataType type);
  Status destroy(u32 op);

  static std::string describe(u32 op);  // "sum", "the operator 64 made at run time"
  // The built-in operator behind a number, if there is one; `wide` where it keeps results wide.
  static bool built_in(u32 op, Op& built, bool& wide);

 private:
  struct Made {
    UserFunction function = nullptr;  // null: a pre-multiplied sum
    void* context = nullptr;
    bool commutes = false;
    DataType type = DataType::uint8;
    std::array<std::byte, 8> scalar{};
  };
  Result<u32> keep(Made made);
  Result<Recipe> built_in_recipe(Op op, bool wide, DataType type) const;

  const u64 ranks_;
  mutable Recipe last_;  // of the built-in operator that was asked for last
  mutable u32 last_op_ = ~0u;
  mutable DataType last_type_ = DataType::uint8;
  std::vector<std::shared_ptr<const Made>> made_;  // by number - first_made
};

}  // namespace weft::runtime
