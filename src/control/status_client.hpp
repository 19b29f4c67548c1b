// The asking side of the status door. Threads: functions without state.
#pragma once
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace weft::control {

// What a process of the same user says of its jobs: a JSON text. Errors say what to look at.
Result<std::string> ask_status(int pid, Deadline deadline);

// Processes that can be asked, as far as this process sees them.
std::vector<int> processes_with_jobs();

}  // namespace weft::control
