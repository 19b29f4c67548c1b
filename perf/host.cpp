#include "perf/host.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <fstream>

namespace weft::perf {

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const std::string whole = name;
  return whole.substr(0, whole.find('.'));
}

std::uint64_t host_hash() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const std::string identity = std::string(name) + boot;
  return XXH3_64bits(identity.data(), identity.size());
}

}  // namespace weft::perf
