// What a UniqueId says: the secret, where the root listens, and who opens that listener.
//
// An id made by create_unique_id belongs to a listener that is open already and is held here until
// the first join() with that id in this process takes it; that rank is the root of the rendezvous.
// An id made by reserve_unique_id only names a place, and rank 0 opens it. The two fail
// differently: nobody listening means a stale id in the first case, a root still to come in the
// second. Threads: any.
#pragma once
#include <optional>

#include "base/secret.hpp"
#include "bootstrap/address.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/listener.hpp"

namespace weft::bootstrap {

struct Invitation {
  Secret secret;
  Contact root;
  bool listener_is_open = false;
};

UniqueId encode(const Invitation& invitation);
Result<Invitation> decode(const UniqueId& id);  // checks magic, version and checksum

// The listener that this process holds for the id, to the first rank that asks. A fork of the
// process that made the id holds a copy: there only rank 0 gets it, and other ranks' copies close.
std::optional<Listener> take_held_listener(const UniqueId& id, u32 rank);

}  // namespace weft::bootstrap
