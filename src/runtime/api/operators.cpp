// Operators made at run time.
#include "runtime/api/api.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;

extern "C" {

weft_result_t weft_op_create(weft_op_t* op, weft_op_function_t function, void* context,
                             int commutative, weft_comm_t comm) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(op, "op"));
    WEFT_TRY(need(reinterpret_cast<const void*>(function), "function"));
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_ASSIGN(const u32 made,
                communicator->operators().make(function, context, commutative != 0));
    *op = weft_op_t(made);
    return {};
  });
}

weft_result_t weft_op_create_premul_sum(weft_op_t* op, const void* scalar, weft_datatype_t type,
                                        weft_comm_t comm) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(op, "op"));
    WEFT_TRY(need(scalar, "scalar"));
    WEFT_TRY(check_type(type));
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_ASSIGN(const u32 made, communicator->operators().make_premul_sum(scalar, DataType(type)));
    *op = weft_op_t(made);
    return {};
  });
}

weft_result_t weft_op_destroy(weft_op_t op, weft_comm_t comm) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const communicator, known(comm));
    return communicator->operators().destroy(u32(op));
  });
}

}  // extern "C"
