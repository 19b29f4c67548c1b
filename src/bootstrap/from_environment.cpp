// From the launcher's variables to a job.
#include "bootstrap/environment.hpp"
#include "bootstrap/pmix.hpp"
#include "bootstrap/tree_bootstrap.hpp"

namespace weft::bootstrap {
namespace {

using Made = Result<std::unique_ptr<Bootstrap>>;

Made carry_out(const UseAlone&, Deadline) { return alone(); }
Made carry_out(const UsePmix&, Deadline) { return join_by_pmix(); }
Made carry_out(const UseId& use, Deadline deadline) {
  return join(use.id, use.rank, use.ranks, deadline);
}

Made carry_out(const UseMaster& use, Deadline deadline) {
  Rendezvous rendezvous{.secret = use.secret, .root = {}, .may_come_later = true, .listener = {}};
  if (use.rank == 0) {
    WEFT_ASSIGN(rendezvous.listener, Listener::open(use.ports));
  } else {
    WEFT_ASSIGN(const auto ips, resolve(use.host));
    for (const u16 port : use.ports)
      for (const Ip& ip : ips) rendezvous.root.push_back({ip, port});
  }
  WEFT_ASSIGN(auto node, TreeBootstrap::join(std::move(rendezvous), use.rank, use.ranks, deadline));
  return node;
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> from_environment(Deadline deadline) {
  WEFT_ASSIGN(const Decision decision, decide(process_environment(), pmix_missing));
  return std::visit([&](const auto& use) { return carry_out(use, deadline); }, decision);
}

}  // namespace weft::bootstrap
