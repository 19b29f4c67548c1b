// Runs one trial in processes of its own, and ends those that do not end by themselves.
#pragma once
#include "judge.hpp"

namespace weft::trials {

// Forks: the caller has one thread and has not used the library.
// Quiet: what ranks say on stderr is thrown away.
Judgement run_trial(const Plan& plan, bool quiet);

}  // namespace weft::trials
