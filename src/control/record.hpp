// What is written down of a verdict: a line on stderr, and the ledgers of all ranks in one file a
// job, in the folder WEFT_VERDICT_DIR.
//
// Threads: the control thread, without its lock.
#pragma once
#include "control/job.hpp"

namespace weft::control {

void write(const Job::Note& note);

}  // namespace weft::control
