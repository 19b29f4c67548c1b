#include "runtime/operators.hpp"

#include <algorithm>
#include <cstring>

#include "intranode/host/map.hpp"
#include "intranode/host/reduce.hpp"

namespace weft::runtime {

bool Operators::built_in(u32 op, Op& built, bool& wide) {
  wide = op == sum_wide || op == avg_wide;
  built = op == sum_wide ? Op::sum : op == avg_wide ? Op::avg : Op(op);
  return wide || op < all_ops.size();
}

std::string Operators::describe(u32 op) {
  Op built;
  bool wide;
  if (!built_in(op, built, wide)) return fmt::format("the operator {} made at run time", op);
  return fmt::format("{}{}", name_of(built), wide ? " wide" : "");
}

executor::Map image_of(DataType type) {
  static constexpr auto sizes = [] {
    std::array<std::size_t, std::size(all_types)> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = bytes_of(all_types[i]);
    return bytes;
  }();
  return {[](std::byte* target, const std::byte* source, std::size_t elements, const void* size) {
            std::memcpy(target, source, elements * *static_cast<const std::size_t*>(size));
          },
          &sizes[std::size_t(type)]};
}

Result<Recipe> Operators::built_in_recipe(Op op, bool wide, DataType type) const {
  if (!supports(type, op))
    return fail(Code::invalid_argument,
                "{} means nothing for elements of type {}: weft_reduces() tells what does",
                name_of(op), name_of(type));
  Recipe recipe{.combined = type, .need = depends_on_order(type, op) ? Need::sums : Need::any};
  if (wide && is_narrow(type)) {
    recipe.before = {host::widen(type)};
    recipe.after = {host::narrow(type)};
    recipe.combined = DataType::float32;
  }
  if (op == Op::avg) recipe.scale = {host::divide(recipe.combined), &ranks_};
  recipe.reduce = {host::reduce_function(recipe.combined, op)};
  return recipe;
}

Result<Recipe> Operators::recipe(u32 op, DataType type, UserReduction& user) const {
  Op built;
  bool wide;
  if (built_in(op, built, wide)) {
    // Calls repeat: the last answer is mostly the next one.
    if (last_op_ == op && last_type_ == type) return last_;
    WEFT_ASSIGN(last_, built_in_recipe(built, wide, type));
    last_op_ = op;
    last_type_ = type;
    return last_;
  }
  const u32 index = op - first_made;
  if (op < first_made || index >= made_.size() || !made_[index])
    return fail(Code::invalid_argument,
                "{} is not an operator: a weft_op_t, or one that was made for this communicator "
                "and not destroyed",
                op);
  const Made& made = *made_[index];
  if (!made.function) {
    if (made.type != type)
      return fail(Code::invalid_argument,
                  "operator {} multiplies elements of type {}, and the call has {}", op,
                  name_of(made.type), name_of(type));
    WEFT_ASSIGN(Recipe recipe, built_in_recipe(Op::sum, false, type));
    recipe.before = {host::multiply(type), made.scalar.data()};
    recipe.made = made_[index];
    return recipe;
  }
  user = {made.function, made.context, type};
  return Recipe{.reduce = {reduce_by_user, &user},
                .combined = type,
                .need = made.commutes ? Need::sums : Need::by_rank,
                .made = made_[index]};
}

Result<u32> Operators::keep(Made made) {
  const auto free = std::find(made_.begin(), made_.end(), nullptr);
  const u32 index = u32(free - made_.begin());
  if (index == most_made)
    return fail(Code::invalid_argument,
                "{} operators were made for this communicator: weft_op_destroy some", most_made);
  if (free == made_.end()) made_.emplace_back();
  made_[index] = std::make_shared<const Made>(made);
  return first_made + index;
}

Result<u32> Operators::make(UserFunction function, void* context, bool commutes) {
  return keep({.function = function, .context = context, .commutes = commutes});
}

Result<u32> Operators::make_premul_sum(const void* scalar, DataType type) {
  if (!host::multiply(type))
    return fail(Code::invalid_argument, "elements of type {} are not numbers to be multiplied",
                name_of(type));
  Made made{.type = type};
  std::memcpy(made.scalar.data(), scalar, bytes_of(type));
  return keep(made);
}

Status Operators::destroy(u32 op) {
  const u32 index = op - first_made;
  if (op < first_made || index >= made_.size() || !made_[index])
    return fail(Code::invalid_argument, "{} is not an operator made for this communicator", op);
  made_[index].reset();
  return {};
}

}  // namespace weft::runtime
