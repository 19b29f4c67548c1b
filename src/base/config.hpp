// Every environment variable the library reads, in one table: name, default, what it does.
//
// The README's table and `weft env` come from here, so a variable that is not in the table does not
// exist. Values are read when asked for. Threads: any, as long as nobody calls setenv meanwhile.
#pragma once
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::config {

struct Variable {
  const char* name;
  const char* fallback;  // the value when it is not set
  const char* help;      // one sentence
};

extern const Variable log, node, timeout, heartbeat_timeout, verdict_dir, transport, algorithm,
    order, rails, progress, slice_bytes, slot_bytes, slots, frames, interface, port_range,
    tcp_sockets, unique_id, secret, secret_file, trace, timeline, fault, integrity;

std::span<const Variable* const> all();

std::string text(const Variable& variable);
bool is_set(const Variable& variable);
// A whole number with an optional suffix K, M or G (powers of 1024), between least and most.
Result<u64> number(const Variable& variable, u64 least, u64 most);
// Seconds, fractions allowed; above zero.
Result<double> seconds(const Variable& variable);

}  // namespace weft::config
