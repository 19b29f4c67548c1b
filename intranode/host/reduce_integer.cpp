// Sums, products and bits do not care for signs, and bits not for width, so types share kernels.
#include "intranode/host/families.hpp"
#include "intranode/host/reduce.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/reduce_integer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "intranode/host/plain_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

template <class T>
ReduceFunction choose_of(Op op) {
  using Unsigned = hwy::MakeUnsigned<T>;
  switch (op) {
    case Op::sum: return reduce<Sum<Unsigned>>;
    case Op::prod: return reduce<Prod<Unsigned>>;
    case Op::max: return reduce<Max<T>>;
    case Op::min: return reduce<Min<T>>;
    case Op::band: return reduce<Bitwise<BitAnd>, sizeof(T)>;
    case Op::bor: return reduce<Bitwise<BitOr>, sizeof(T)>;
    case Op::bxor: return reduce<Bitwise<BitXor>, sizeof(T)>;
    case Op::land: return reduce<Logical<Unsigned, BitAnd>>;
    case Op::lor: return reduce<Logical<Unsigned, BitOr>>;
    case Op::lxor: return reduce<Logical<Unsigned, BitXor>>;
    default: return nullptr;
  }
}

ReduceFunction choose_boolean(Op op) {
  switch (op) {
    case Op::sum:
    case Op::max:
    case Op::bor:
    case Op::lor: return reduce<Logical<u8, BitOr>>;
    case Op::prod:
    case Op::min:
    case Op::band:
    case Op::land: return reduce<Logical<u8, BitAnd>>;
    case Op::bxor:
    case Op::lxor: return reduce<Logical<u8, BitXor>>;
    default: return nullptr;
  }
}

ReduceFunction choose_integer(DataType type, Op op) {
  switch (type) {
    case DataType::int8: return choose_of<std::int8_t>(op);
    case DataType::uint8: return choose_of<u8>(op);
    case DataType::int16: return choose_of<std::int16_t>(op);
    case DataType::uint16: return choose_of<u16>(op);
    case DataType::int32: return choose_of<i32>(op);
    case DataType::uint32: return choose_of<u32>(op);
    case DataType::int64: return choose_of<i64>(op);
    case DataType::uint64: return choose_of<u64>(op);
    case DataType::boolean: return choose_boolean(op);
    default: return nullptr;
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose_integer);
HWY_EXPORT(target_name);

ReduceFunction integer_function(DataType type, Op op) {
  return HWY_DYNAMIC_DISPATCH(choose_integer)(type, op);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace weft::host
#endif
