#include "net/loopback/loopback.hpp"

#include <bit>

#include "net/loopback/endpoint.hpp"
#include "net/loopback/weather.hpp"

namespace weft::loopback {

Result<std::unique_ptr<transport::Transport>> create(const Secret& job, u32 rank, u32 ranks,
                                                     const Options& options) {
  if (rank >= ranks || options.rails == 0 || !std::has_single_bit(options.ring_bytes) ||
      options.ring_bytes < 2048)
    return fail(Code::invalid_argument,
                "loopback: rank {} of {}, {} rails, rings of {} bytes: the rank must be below the "
                "number of ranks, rails above 0, rings a power of two of at least 2048 bytes",
                rank, ranks, options.rails, options.ring_bytes);
  WEFT_ASSIGN(auto party, Hub::of_process().enter(job, rank, ranks));
  auto endpoint = std::make_unique<Endpoint>(std::move(party), options.rails, options.ring_bytes);
  if (!options.weather) return endpoint;
  return std::make_unique<Weathered>(std::move(endpoint), *options.weather, rank, ranks);
}

}  // namespace weft::loopback
