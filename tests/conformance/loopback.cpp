// The loopback transport against the suite, with one rail and with three.
#include "net/loopback/loopback.hpp"

#include "tests/conformance/suite.hpp"

namespace weft::conformance {
namespace {

Kind loopback_kind(const std::string& name, const loopback::Options& options) {
  Kind kind;
  kind.name = name;
  kind.make = [options](const Secret& job, u32 rank, u32 ranks) {
    return loopback::create(job, rank, ranks, options);
  };
  kind.maps = true;
  return kind;
}

INSTANTIATE_TEST_SUITE_P(Loopback, Conformance,
                         testing::Values(loopback_kind("one_rail", {}),
                                         loopback_kind("three_rails_small_rings",
                                                       {.rails = 3, .ring_bytes = 2048})),
                         name_of_kind);

}  // namespace
}  // namespace weft::conformance
