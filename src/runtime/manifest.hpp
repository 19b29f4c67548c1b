// What a rank tells all others when a communicator is made, and what is concluded from it.
//
// Every rank gets every manifest, so every rank draws the same conclusions: the node shape, the way
// to each peer, and whether the job is sound. Threads: values.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/secret.hpp"
#include "channel/fabric.hpp"
#include "schedule/shape.hpp"

namespace weft::runtime {

struct Manifest {
  std::string version;  // of the library, and a digest of what its generators yield
  std::string node;     // equal on ranks of a node
  std::string host;     // boot id
  std::string network;  // namespaces of the kernel: containers of one host have their own
  std::string pids;
  std::string host_name;
  std::string process;     // random, equal on ranks of a process
  std::string algorithm;   // forced, or empty
  std::string order;       // asked for
  std::string transport;   // forced, or "auto"
  std::vector<u64> cores;  // that it may use, a bit each
  std::string shm;         // where ranks of its host reach it; empty: not opened
  std::string control;     // and where its control thread is reached by processes of its node
  u64 pid = 0;
  u64 rails = 1, frames = 0, slots = 0, slot_bytes = 0, slice_bytes = 0, integrity = 0;
  u64 tcp_sockets = 1;  // for each peer, that its limits allow

  // Looked at for differences only: WEFT_ variables that are set, and what the host is like.
  std::map<std::string, std::string> environment, facts;

  // Can memory be shared, and a socket of the host be reached?
  bool shares_host_with(const Manifest& other) const {
    return host == other.host && network == other.network;
  }
  std::string text() const;
  static Result<Manifest> parse(u32 rank, const std::string& text);
};

// Where a rank is reached, once it is known which transports the job needs. Empty: not opened.
struct Addresses {
  std::string loopback, tcp, control;  // opaque bytes

  std::string text() const;
  static Result<Addresses> parse(u32 rank, const std::string& text);
};

// All that must be equal on all ranks is: or an error that names each key, the values and the
// minority. minority.cpp
Status agree(const std::vector<Manifest>& ranks);
// What differs and may, in the same words; `matters`: few would want it so.
struct Difference {
  std::string text;
  bool matters = false;
};
std::vector<Difference> differences(const std::vector<Manifest>& ranks);
// This process's own part of that: empty where a communicator is split off another one.
void tell_surroundings(Manifest& mine);
// The build of this library, and the versions of those that it has loaded. libraries.cpp
void tell_libraries(std::map<std::string, std::string>& facts);

// Nodes in the order of their first rank, local ranks in the order of ranks.
schedule::Shape shape_of(const std::vector<Manifest>& ranks);

enum class Way { self, loopback, shm, tcp };
// More ranks on this rank's host than cores that any of them may use? A launcher that binds each
// rank to a core of its own leaves none of them short of one.
bool is_crowded(u32 rank, const std::vector<Manifest>& ranks);

// Is every peer of every rank reached as its manifest says, so that no addresses are exchanged? The
// same on all ranks.
bool manifests_suffice(const std::vector<Manifest>& ranks);

const char* name_of(Way way);
// How two ranks reach each other; the same seen from both. `forced`: loopback, shm, tcp or auto.
Result<Way> way_between(const Manifest& a, const Manifest& b);

}  // namespace weft::runtime
