#include "base/config.hpp"

#include <cstdlib>

#include "base/bytes.hpp"

namespace weft::config {

const Variable log{"WEFT_LOG", "warn", "What is logged on stderr: error, warn, info or debug."};
const Variable node{"WEFT_NODE", "",
                    "Any string, equal on the ranks of one node; empty: the host, or the "
                    "container, that has a network of its own."};
const Variable timeout{"WEFT_TIMEOUT", "600",
                       "Seconds after which a wait ends with an error that names the peer."};
const Variable heartbeat_timeout{
    "WEFT_HEARTBEAT_TIMEOUT", "10",
    "Seconds without a beat of its control thread after which a process is given up: frozen, or "
    "its host is gone. A process that computes beats."};
const Variable verdict_dir{
    "WEFT_VERDICT_DIR", "",
    "A folder for one file a job that says why a communicator ended, and where each rank stood."};
const Variable transport{
    "WEFT_TRANSPORT", "auto",
    "Forces one transport for all peers: loopback, shm or tcp; auto picks per peer."};
const Variable algorithm{
    "WEFT_ALGORITHM", "auto",
    "Forces a schedule, as `weft algorithms` lists them; auto picks by size and shape."};
const Variable order{
    "WEFT_ORDER", "auto",
    "Order of float sums: canonical (the same bits on any split into nodes), shape (for one node "
    "shape), fast (any), or auto: canonical where it costs nothing, else shape."};
const Variable rails{"WEFT_RAILS", "1", "Parts of a message that travel between nodes apart."};
const Variable progress{
    "WEFT_PROGRESS", "caller",
    "Who drives operations: caller (the thread in wait or test) or thread (one of the library)."};
const Variable slice_bytes{"WEFT_SLICE_BYTES", "0",
                           "Bytes of one slice of a large message; 0: chosen by the cost model."};
const Variable slot_bytes{
    "WEFT_SLOT_BYTES", "128K",
    "Bytes of one receive slot of a channel; over tcp cut to 64K, in as many more slots."};
const Variable slots{"WEFT_SLOTS", "4",
                     "Slots of a channel in each frame; 0 (in-process only): the receiver reads "
                     "the sender's memory."};
const Variable frames{"WEFT_FRAMES", "0",
                      "Slices in flight at once, each with slots of its own; 0: 8 where a job has "
                      "several nodes, else 2."};
const Variable interface {
  "WEFT_INTERFACE", "",
      "Network interfaces to use, comma separated, tried in order; empty: all that are up."
};
const Variable port_range{"WEFT_PORT_RANGE", "0",
                          "Ports to listen on, as FIRST-LAST; 0: any free port."};
const Variable tcp_sockets{"WEFT_TCP_SOCKETS", "2", "Sockets for each peer of the tcp transport."};
const Variable unique_id{"WEFT_UNIQUE_ID", "",
                         "The job's id, as `weft unique-id` prints it, with RANK and WORLD_SIZE: "
                         "ranks started by hand."};
const Variable secret{"WEFT_SECRET", "",
                      "A secret of the job, any string equal on all ranks: keeps others out of a "
                      "rendezvous at MASTER_ADDR."};
const Variable secret_file{
    "WEFT_SECRET_FILE", "",
    "A file with that secret, which others can neither read nor change, in place of WEFT_SECRET."};
const Variable trace{
    "WEFT_TRACE_STEPS", "",
    "A folder for one record a rank of every step issued and retired, for `weft verify --trace`."};
const Variable timeline{
    "WEFT_TRACE", "",
    "A folder for one file a rank that says when each step ran, for `weft trace merge`."};
const Variable fault{"WEFT_FAULT", "",
                     "Faults put into transports on purpose, as tcp:rate=100M or "
                     "all:kill,rank=2,operation=5; docs/faults.md has them all."};
const Variable integrity{"WEFT_INTEGRITY", "0",
                         "With 1 every message carries a checksum, compared before it is used; "
                         "nothing is read in place."};

namespace {
const Variable* const table[] = {
    &log,         &node,   &timeout,   &heartbeat_timeout, &verdict_dir, &transport,
    &algorithm,   &order,  &rails,     &progress,          &slice_bytes, &slot_bytes,
    &slots,       &frames, &interface, &port_range,        &tcp_sockets, &unique_id,
    &secret_file, &secret, &trace,     &timeline,          &fault,       &integrity};
}

std::span<const Variable* const> all() { return table; }

bool is_set(const Variable& variable) {
  const char* value = std::getenv(variable.name);
  return value && *value;
}

std::string text(const Variable& variable) {
  return is_set(variable) ? std::getenv(variable.name) : variable.fallback;
}

Result<u64> number(const Variable& variable, u64 least, u64 most) {
  const std::string value = text(variable);
  const std::optional<u64> parsed = parse_bytes(value);
  if (!parsed || *parsed < least || *parsed > most)
    return fail(Code::invalid_argument,
                "{}={} is not a whole number from {} to {} (K, M, G allowed): {}", variable.name,
                value, least, most, variable.help);
  return *parsed;
}

Result<double> seconds(const Variable& variable) {
  const std::string value = text(variable);
  char* end = nullptr;
  const double parsed = std::strtod(value.c_str(), &end);
  if (value.empty() || *end || !(parsed > 0) || parsed > 1e9)
    return fail(Code::invalid_argument, "{}={} is not a number of seconds above zero: {}",
                variable.name, value, variable.help);
  return parsed;
}

}  // namespace weft::config
