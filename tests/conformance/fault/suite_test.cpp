// Every transport under a fault that loses nothing (WEFT_FAULT=...:rate=64M, ...:delay=1ms) against
// the suite.
#include "tests/conformance/suite.hpp"

#include "intranode/shm/shm.hpp"
#include "net/fault/fault.hpp"
#include "net/loopback/loopback.hpp"
#include "net/tcp/tcp.hpp"

namespace weft::conformance {
namespace {

using Made = Result<std::unique_ptr<Transport>>;
using Make = std::function<Made(const Secret&, u32, u32)>;

Kind faulty(const std::string& name, const std::string& fault, Make make) {
  Kind kind;
  kind.name = name + "_" + fault.substr(0, fault.find('='));
  const fault::Rules rules = fault::Plan::parse(name + ":" + fault, {name}).value().rules(name, 0);
  kind.make = [make, rules](const Secret& job, u32 rank, u32 ranks) -> Made {
    WEFT_ASSIGN(auto inner, make(job, rank, ranks));
    return fault::wrap(std::move(inner), rules, rank, nullptr);
  };
  kind.registers = name != "shm";
  kind.maps = name != "tcp";
  kind.quiet = rules[0].kind == fault::Kind::rate;  // a copy of what is late takes memory
  return kind;
}

std::vector<Kind> kinds() {
  const std::pair<std::string, Make> transports[] = {
      {"loopback", [](const Secret& job, u32 rank,
                      u32 ranks) { return loopback::create(job, rank, ranks, {.rails = 2}); }},
      {"shm", [](const Secret& job, u32 rank, u32 ranks) { return shm::create(job, rank, ranks); }},
      {"tcp", [](const Secret& job, u32 rank, u32 ranks) {
         return tcp::create({job, rank, ranks}, {.interfaces = {"127.0.0.1"}});
       }}};
  std::vector<Kind> all;
  for (const auto& [name, make] : transports)
    for (const char* const fault : {"rate=64M", "delay=1ms"})
      all.push_back(faulty(name, fault, make));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Faulty, Conformance, testing::ValuesIn(kinds()), name_of_kind);

}  // namespace
}  // namespace weft::conformance
