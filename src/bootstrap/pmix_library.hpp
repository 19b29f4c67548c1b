// libpmix as a table of functions, loaded once, and this process's session with the server.
//
// The session starts with the first use and ends when the process does: libpmix counts its users
// (MPI in the same process is one), but does not start again after the last has left. Threads: any.
#pragma once
#include <pmix.h>

#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::bootstrap {

struct PmixLibrary {
  decltype(&::PMIx_Init) init = nullptr;
  decltype(&::PMIx_Finalize) finalize = nullptr;
  decltype(&::PMIx_Put) put = nullptr;
  decltype(&::PMIx_Commit) commit = nullptr;
  decltype(&::PMIx_Fence_nb) fence_nb = nullptr;
  decltype(&::PMIx_Get) get = nullptr;
  decltype(&::PMIx_Get_nb) get_nb = nullptr;
  decltype(&::PMIx_Error_string) error_string = nullptr;

  static const Result<PmixLibrary>& load();
};

struct PmixSession {
  const PmixLibrary* library = nullptr;
  pmix_proc_t self{};  // namespace and rank
  u32 ranks = 0;

  static const Result<PmixSession>& get();
  pmix_proc_t process(pmix_rank_t rank) const;
  tl::unexpected<Error> fail_status(pmix_status_t status, const std::string& what) const;
};

}  // namespace weft::bootstrap
