// Schedules as text: what golden files hold, what `weft verify --file` reads, what a person edits.
//
// One step a line, in the order of the program; the grammar is in README.md beside this file.
// Writing and reading back gives an equal value. What is read is sound in form: every level, lane,
// position and atom that it names exists, so that nobody after has to look again; whether it is
// right is the verifier's question. Errors name line and column. Threads: pure functions.
#pragma once
#include <iosfwd>
#include <string>

#include "base/result.hpp"
#include "schedule/schedule.hpp"

namespace weft::schedule {

class Words;

std::string text(const Step& step);  // "lane 1 recv target output[3] from 2 after 0:1"

void write(std::ostream& to, const Collective& collective);
void write(std::ostream& to, const Tiling& tiling);
void write(std::ostream& to, const Program& program);
void write(std::ostream& to, const Schedule& schedule);

Result<Schedule> read_schedule(std::istream& from);

// For text forms that hold these: read from the current line on.
Collective read_collective(Words& words);
Tiling read_tiling(Words& words);
Program read_program(Words& words);

}  // namespace weft::schedule
