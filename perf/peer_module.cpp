#include "perf/peer_module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace weft::perf {
namespace {

// A word, never a path: what is opened lies where the tools lie.
bool is_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '_';
  });
}

std::string advice(const std::string& name) {
  constexpr std::pair<const char*, const char*> packages[] = {
      {"mpi", "libopenmpi-dev and openmpi-bin"},
      {"mpich", "libmpich-dev and mpich"},
      {"gloo", "libgloo-dev"}};
  for (const auto& [peer, wanted] : packages)
    if (name == peer)
      return fmt::format(
          "install {} (scripts/install-deps --peers), then run cmake and build again", wanted);
  return "peers have one file each in perf/peers; this build has no such module";
}

}  // namespace

Result<const Peer*> open_peer(const std::string& name) {
  if (!is_name(name))
    return fail(Exit::bad_argument, "'{}' is no name of a peer: --compare mpi, for one", name);
  const std::string file = fmt::format("libweft_perf_{}.so", name);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = error ? file : (program.parent_path() / file).string();
  // Open MPI's plug-ins look up symbols of libmpi, which must be visible to them.
  constexpr int how = RTLD_NOW | RTLD_GLOBAL;
  void* module = dlopen(beside.c_str(), how);
  std::string why;
  if (!module) why = dlerror();
  if (!module) module = dlopen(file.c_str(), how);
  if (!module) return fail(Exit::invalid_usage, "peer {}: {}; {}", name, why, advice(name));
  const auto table = reinterpret_cast<const Peer* (*)()>(dlsym(module, peer_symbol));
  if (!table || table()->version != peer_version)
    return fail(Exit::invalid_usage, "peer {}: {} is of another version of the tools: build again",
                name, file);
  return table();
}

tl::unexpected<Failure> failure_of(const Peer& peer, const char* what) {
  return fail(Exit::library_error, "{} of peer {}: {}", what, peer.name, peer.error());
}

}  // namespace weft::perf
