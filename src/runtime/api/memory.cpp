// Memory that transports can reach without staging.
#include "runtime/memory.hpp"

#include "runtime/api/api.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;

// A registration: whose it is, so that a mistake is told.
struct weft_memory {
  Communicator* owner;
};

extern "C" {

weft_result_t weft_mem_alloc(void** memory, size_t bytes) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(memory, "memory"));
    *memory = nullptr;
    WEFT_ASSIGN(*memory, allocate_shared(bytes));
    return {};
  });
}

weft_result_t weft_mem_adopt(void** memory, int fd, size_t offset, size_t length) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(memory, "memory"));
    *memory = nullptr;
    WEFT_ASSIGN(*memory, adopt_shared(fd, offset, length));
    return {};
  });
}

weft_result_t weft_mem_free(void* memory) {
  return guarded([&]() -> Status { return memory ? free_shared(memory) : Status{}; });
}

weft_result_t weft_mem_register(weft_comm_t comm, void* memory, size_t bytes,
                                weft_memory_t* registration) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(registration, "registration"));
    *registration = nullptr;
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    if (bytes) WEFT_TRY(need(memory, "memory"));
    *registration = new weft_memory{communicator};
    return {};
  });
}

weft_result_t weft_mem_deregister(weft_comm_t comm, weft_memory_t registration) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const communicator, known(comm));
    WEFT_TRY(need(registration, "registration"));
    if (registration->owner != communicator)
      return fail(Code::invalid_argument, "the registration is of another communicator");
    delete registration;
    return {};
  });
}

}  // extern "C"
