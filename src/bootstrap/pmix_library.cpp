#include "bootstrap/pmix_library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace weft::bootstrap {
namespace {

constexpr const char* soname = "libpmix.so.2";

Result<PmixLibrary> open_library() {
  void* const handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);  // for the life of the process
  if (!handle) return fail(Code::unsupported, "{} cannot be loaded: {}", soname, ::dlerror());
  PmixLibrary library;
  std::string absent;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (!function) absent = name;
  };
  find(library.init, "PMIx_Init");
  find(library.finalize, "PMIx_Finalize");
  find(library.put, "PMIx_Put");
  find(library.commit, "PMIx_Commit");
  find(library.fence_nb, "PMIx_Fence_nb");
  find(library.get, "PMIx_Get");
  find(library.get_nb, "PMIx_Get_nb");
  find(library.error_string, "PMIx_Error_string");
  if (!absent.empty()) return fail(Code::unsupported, "{} has no {}", soname, absent);
  return library;
}

// The launcher takes a process that goes without a farewell for a crashed one. A fork of this
// process is not a client of the server and must not say it.
void end_session_at_exit(const PmixLibrary& library) {
  static const PmixLibrary* const used = &library;
  static const pid_t owner = ::getpid();
  std::atexit([] {
    if (::getpid() == owner) used->finalize(nullptr, 0);
  });
}

Result<PmixSession> start_session() {
  const auto& library = PmixLibrary::load();
  if (!library) return fail(library.error());
  PmixSession session{.library = &*library};
  if (const auto status = library->init(&session.self, nullptr, 0); status != PMIX_SUCCESS)
    return session.fail_status(status,
                               "PMIx_Init (is this process started by the launcher whose "
                               "variables it sees?)");
  end_session_at_exit(*library);
  const pmix_proc_t job = session.process(PMIX_RANK_WILDCARD);
  pmix_value_t* value = nullptr;
  if (const auto status = library->get(&job, PMIX_JOB_SIZE, nullptr, 0, &value);
      status != PMIX_SUCCESS)
    return session.fail_status(status, "PMIx_Get of the number of ranks");
  session.ranks = value->data.uint32;
  std::free(value);
  if (session.self.rank >= session.ranks)
    return fail(Code::remote_error, "PMIx says this is rank {} of {}", session.self.rank,
                session.ranks);
  return session;
}

}  // namespace

const Result<PmixLibrary>& PmixLibrary::load() {
  static const auto library = open_library();
  return library;
}

const Result<PmixSession>& PmixSession::get() {
  static const auto session = start_session();
  return session;
}

pmix_proc_t PmixSession::process(pmix_rank_t rank) const {
  pmix_proc_t process = self;
  process.rank = rank;
  return process;
}

tl::unexpected<Error> PmixSession::fail_status(pmix_status_t status,
                                               const std::string& what) const {
  return fail(Code::remote_error, "{}: {} ({})", what, library->error_string(status), status);
}

}  // namespace weft::bootstrap
