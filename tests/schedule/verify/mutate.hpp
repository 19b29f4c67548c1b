// Every single mistake that can be made in one step of a schedule.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "schedule/program.hpp"
#include "verify/verify.hpp"

namespace weft::verify::mutate {

using schedule::Program;
using schedule::Step;

struct Mutant {
  const char* kind;
  u32 rank, step;
  std::function<void(Program&, Step&)> change;
};

// The mutants of one rank's step. `ordered`: the operand side matters.
std::vector<Mutant> mutants_of(const Program& program, u32 step, bool ordered);

}  // namespace weft::verify::mutate
