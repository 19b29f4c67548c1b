#include "intranode/host/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/reduce_narrow.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "intranode/host/narrow_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

template <class Format, class Signed, Signed infinity_or_last, Signed the_nan>
ReduceFunction choose_of(Op op) {
  switch (op) {
    case Op::sum: return reduce<NarrowSum<Format>>;
    case Op::prod: return reduce<NarrowProd<Format>>;
    case Op::max: return reduce<NarrowExtreme<Signed, infinity_or_last, the_nan, true>>;
    case Op::min: return reduce<NarrowExtreme<Signed, infinity_or_last, the_nan, false>>;
    default: return nullptr;
  }
}

ReduceFunction choose_narrow(DataType type, Op op) {
  switch (type) {
    case DataType::float16: return choose_of<Float16, std::int16_t, 0x7c00, 0x7e00>(op);
    case DataType::bfloat16: return choose_of<Bfloat16, std::int16_t, 0x7f80, 0x7fc0>(op);
    case DataType::float8_e4m3: return choose_of<Float8E4m3InNodes, std::int8_t, 0x7e, 0x7f>(op);
    case DataType::float8_e5m2: return choose_of<Float8E5m2InNodes, std::int8_t, 0x7c, 0x7e>(op);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose_narrow);

ReduceFunction narrow_function(DataType type, Op op) {
  return HWY_DYNAMIC_DISPATCH(choose_narrow)(type, op);
}

}  // namespace weft::host
#endif
