// What a rank does in a trial: joins, makes its calls, leaves; and meets with its misfortune.
#pragma once
#include <functional>

#include "report.hpp"
#include "weft/weft.h"

namespace weft::trials {

using Join = std::function<weft_result_t(weft_comm_t*, const weft_config_t*)>;

void run_rank(const Plan& plan, u32 rank, const Join& join, Report& report);

}  // namespace weft::trials
