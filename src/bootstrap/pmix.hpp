// The rendezvous of mpirun and srun: PMIx, the launcher's own store, without MPI.
//
// libpmix is loaded at run time, so one binary starts everywhere; a build without its header says
// so. Threads: any.
#pragma once
#include <memory>
#include <string>

#include "bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

// Why PMIx cannot be used here: not in this build, no library. Empty if it can be.
std::string pmix_missing();

// The job that the launcher's PMIx server describes. Ranks meet in its first exchange.
Result<std::unique_ptr<Bootstrap>> join_by_pmix();

}  // namespace weft::bootstrap
