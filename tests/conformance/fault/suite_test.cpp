// Every transport slowed by WEFT_FAULT=...:rate=64M against the suite.
#include "tests/conformance/suite.hpp"

#include "intranode/shm/shm.hpp"
#include "net/fault/fault.hpp"
#include "net/loopback/loopback.hpp"
#include "net/tcp/tcp.hpp"

namespace weft::conformance {
namespace {

using Made = Result<std::unique_ptr<Transport>>;

Kind slowed(const std::string& name, std::function<Made(const Secret&, u32, u32)> make) {
  Kind kind;
  kind.name = name;
  kind.make = [make](const Secret& job, u32 rank, u32 ranks) -> Made {
    WEFT_ASSIGN(auto inner, make(job, rank, ranks));
    return fault::wrap(std::move(inner), {.rate = u64{64} << 20});
  };
  kind.registers = name != "shm";
  return kind;
}

Made make_loopback(const Secret& job, u32 rank, u32 ranks) {
  return loopback::create(job, rank, ranks, {.rails = 2});
}
Made make_shm(const Secret& job, u32 rank, u32 ranks) { return shm::create(job, rank, ranks); }
Made make_tcp(const Secret& job, u32 rank, u32 ranks) {
  return tcp::create({job, rank, ranks}, {.interfaces = {"127.0.0.1"}});
}

INSTANTIATE_TEST_SUITE_P(Slowed, Conformance,
                         testing::Values(slowed("loopback", make_loopback), slowed("shm", make_shm),
                                         slowed("tcp", make_tcp)),
                         name_of_kind);

}  // namespace
}  // namespace weft::conformance
