#include "perf/collective.hpp"

namespace weft::perf {

std::size_t block_elements(std::size_t count, std::size_t element_bytes, std::size_t ranks) {
  return (count / ranks) & ~(16 / element_bytes - 1);
}

Bandwidth bandwidth_of(std::size_t elements, std::size_t element_bytes, double seconds,
                       double bus_factor) {
  const double algorithm = static_cast<double>(elements * element_bytes) / 1e9 / seconds;
  return {.algorithm = algorithm, .bus = algorithm * bus_factor};
}

}  // namespace weft::perf
