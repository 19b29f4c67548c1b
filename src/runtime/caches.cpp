#include "runtime/caches.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace weft::runtime {
namespace {

struct Cache {
  u64 bytes = u64{32} << 20;  // where the system does not say
  u64 cores = 1;              // that share it
};

std::string line_of(const std::string& file) {
  std::string line;
  std::getline(std::ifstream("/sys/devices/system/cpu/cpu0/cache/" + file), line);
  return line;
}

// "0-3,8" is five.
u64 count_of(const std::string& list) {
  u64 count = 0;
  for (const char* at = list.c_str(); *at;) {
    char* end = nullptr;
    const u64 first = std::strtoull(at, &end, 10);
    if (end == at) break;
    const u64 last = *end == '-' ? std::strtoull(end + 1, &end, 10) : first;
    count += last - std::min(first, last) + 1;
    at = *end == ',' ? end + 1 : end;
  }
  return std::max<u64>(count, 1);
}

// Of the first processor: the third level, which the kernel counts as index 3, in KiB.
Cache read_cache() {
  Cache cache;
  if (const u64 kib = std::strtoull(line_of("index3/size").c_str(), nullptr, 10)) {
    cache.bytes = kib << 10;
    cache.cores = count_of(line_of("index3/shared_cpu_list"));
  }
  return cache;
}

}  // namespace

bool exceeds_caches(schedule::Kind kind, u64 vector_bytes, const schedule::Shape& shape) {
  static const Cache cache = read_cache();
  const u64 ranks = *std::max_element(shape.size.begin(), shape.size.end());
  const u64 cores = std::max(1u, std::thread::hardware_concurrency());
  const u64 sharing = std::max<u64>(1, ranks * cache.cores / cores);  // ranks are spread evenly
  // Input and output are both as large as the vector, or one of them is this rank's part of it.
  const bool both = kind == schedule::Kind::all_reduce || schedule::is_scan(kind) ||
                    kind == schedule::Kind::all_to_all;
  const u64 second = both ? vector_bytes : vector_bytes / shape.ranks();
  return (vector_bytes + second) * sharing > cache.bytes;
}

}  // namespace weft::runtime
