// Did every survivor end in time, with the right culprit in its error?
#pragma once
#include <optional>
#include <string>

#include "report.hpp"

namespace weft::trials {

enum class Verdict {
  right,    // named by all survivors, or no error where there was to be none
  spared,   // the fault met nothing: the job was over, or no such message was sent
  unnamed,  // some survivor does not name the culprit
  wrong,    // some survivor names another rank
  missed,   // some survivor has no error
  damaged,  // a result is wrong, or an error where there was to be none
  late,     // a call took longer than its timeout and two seconds
  hung,     // a rank did not end at all, or crashed
};
inline constexpr int kinds_of_verdict = 8;
const char* name_of(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::right;
  std::string detail;
};

// `ended`: of each rank, whether it ended by itself (the culprit of a kill or freeze need not).
Judgement judge(const Plan& plan, const Report* reports, const std::vector<bool>& ended);

// Whom an error names first, and who says so of what it has seen itself; nobody where it is what
// the ledgers of all gave.
struct Accusation {
  std::vector<u32> ranks;
  std::optional<u32> by = {};
};
Accusation accusation_in(const std::string& error);

}  // namespace weft::trials
