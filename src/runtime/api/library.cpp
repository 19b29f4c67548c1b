// About the library itself, its types, and the ids of jobs.
#include <cstring>

#include "base/per_thread.hpp"
#include "bootstrap/bootstrap.hpp"
#include "runtime/api/api.hpp"

namespace weft::runtime::api {

const char* last_error() { return per_thread<std::string>().c_str(); }

weft_result_t report(const Error& error) {
  per_thread<std::string>() = error.text;
  return weft_result_t(error.code);
}

}  // namespace weft::runtime::api

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;

extern "C" {

int weft_version(void) { return WEFT_VERSION; }
const char* weft_result_name(weft_result_t result) { return name_of(Code(result)); }
const char* weft_last_error(void) { return last_error(); }

size_t weft_datatype_bytes(weft_datatype_t type) {
  return u32(type) < all_types.size() ? bytes_of(DataType(type)) : 0;
}

int weft_reduces(weft_datatype_t type, weft_op_t op) {
  Op built;
  bool wide;
  return u32(type) < all_types.size() && Operators::built_in(u32(op), built, wide) &&
         supports(DataType(type), built);
}

weft_result_t weft_get_unique_id(weft_unique_id_t* id) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_ASSIGN(const auto made, bootstrap::create_unique_id());
    std::memcpy(id->bytes, made.bytes.data(), sizeof id->bytes);
    return {};
  });
}

weft_result_t weft_unique_id_to_text(const weft_unique_id_t* id, char* text) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_TRY(need(text, "text"));
    bootstrap::UniqueId copy;
    std::memcpy(copy.bytes.data(), id->bytes, sizeof id->bytes);
    const std::string made = copy.text();
    WEFT_ASSERT(made.size() < WEFT_UNIQUE_ID_TEXT_BYTES);
    std::memcpy(text, made.c_str(), made.size() + 1);
    return {};
  });
}

weft_result_t weft_unique_id_from_text(weft_unique_id_t* id, const char* text) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(id, "id"));
    WEFT_TRY(need(text, "text"));
    WEFT_ASSIGN(const auto made, bootstrap::UniqueId::from_text(text));
    std::memcpy(id->bytes, made.bytes.data(), sizeof id->bytes);
    return {};
  });
}

}  // extern "C"
