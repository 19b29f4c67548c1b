#include "intranode/host/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "intranode/host/reduce_float.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "intranode/host/plain_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::host {
namespace HWY_NAMESPACE {

template <class T>
ReduceFunction choose_of(Op op) {
  switch (op) {
    case Op::sum: return reduce<Sum<T>>;
    case Op::prod: return reduce<Prod<T>>;
    case Op::max: return reduce<Max<T>>;
    case Op::min: return reduce<Min<T>>;
    default: return nullptr;
  }
}

ReduceFunction choose_float(DataType type, Op op) {
  switch (type) {
    case DataType::float32: return choose_of<float>(op);
    case DataType::float64: return choose_of<double>(op);
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::host {

HWY_EXPORT(choose_float);

ReduceFunction float_function(DataType type, Op op) {
  return HWY_DYNAMIC_DISPATCH(choose_float)(type, op);
}

}  // namespace weft::host
#endif
