#include "runtime/manifest.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::runtime {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Manifest, version, node, host, network, pids, host_name, process,
                                   algorithm, order, transport, cores, shm, control, pid, rails,
                                   frames, slots, slot_bytes, slice_bytes, integrity, tcp_sockets,
                                   environment, facts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Addresses, loopback, tcp, control)

namespace {

template <class T>
std::string dump(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

template <class T>
Result<T> read(u32 rank, const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<T>();
  } catch (const nlohmann::json::exception& error) {
    return fail(Code::mismatch,
                "rank {} joined with words that cannot be read ({}): does it run another version?",
                rank, error.what());
  }
}

}  // namespace

std::string Manifest::text() const { return dump(*this); }
Result<Manifest> Manifest::parse(u32 rank, const std::string& text) {
  return read<Manifest>(rank, text);
}

std::string Addresses::text() const {
  Addresses encoded = *this;  // JSON holds text only
  for (std::string* address : {&encoded.loopback, &encoded.tcp, &encoded.control})
    *address = to_base64(std::as_bytes(std::span(*address)));
  return dump(encoded);
}

Result<Addresses> Addresses::parse(u32 rank, const std::string& text) {
  WEFT_ASSIGN(Addresses addresses, read<Addresses>(rank, text));
  for (std::string* address : {&addresses.loopback, &addresses.tcp, &addresses.control}) {
    WEFT_ASSIGN(*address, from_base64(*address));
  }
  return addresses;
}

schedule::Shape shape_of(const std::vector<Manifest>& ranks) {
  std::map<std::string, u32> index;
  std::vector<std::vector<u32>> members;
  for (u32 r = 0; r < ranks.size(); ++r) {
    const auto [it, fresh] = index.try_emplace(ranks[r].node, u32(members.size()));
    if (fresh) members.emplace_back();
    members[it->second].push_back(r);
  }
  schedule::Shape shape;
  std::vector<u32> order;
  for (const auto& node : members) {
    shape.size.push_back(u32(node.size()));
    order.insert(order.end(), node.begin(), node.end());
  }
  if (!std::is_sorted(order.begin(), order.end())) shape.order = std::move(order);
  return shape;
}

bool is_crowded(u32 rank, const std::vector<Manifest>& ranks) {
  std::vector<u64> cores;
  u32 on_host = 0, count = 0;
  for (const Manifest& other : ranks) {
    if (other.host != ranks[rank].host) continue;
    ++on_host;
    cores.resize(std::max(cores.size(), other.cores.size()));
    for (std::size_t word = 0; word < other.cores.size(); ++word) cores[word] |= other.cores[word];
  }
  for (const u64 word : cores) count += u32(std::popcount(word));
  return on_host > std::max(1u, count);
}

bool manifests_suffice(const std::vector<Manifest>& ranks) {
  std::set<std::string_view> processes;
  return std::all_of(ranks.begin(), ranks.end(), [&](const Manifest& m) {
    const bool shares = !m.shm.empty() && m.shares_host_with(ranks[0]);
    return shares && (m.transport == "shm" ||
                      (m.node == ranks[0].node && processes.insert(m.process).second));
  });
}

const char* name_of(Way way) {
  switch (way) {
    case Way::self: return "self";
    case Way::loopback: return "loopback";
    case Way::shm: return "shm";
    case Way::tcp: return "tcp";
  }
  return "unknown";
}

Result<Way> way_between(const Manifest& a, const Manifest& b) {
  const bool same_process = a.process == b.process, same_host = a.shares_host_with(b);
  if (a.transport == "auto") {
    // Two nodes emulated on one host talk as two hosts would.
    if (a.node != b.node || !same_host) return Way::tcp;
    return same_process ? Way::loopback : Way::shm;
  }
  if (a.transport == "tcp") return Way::tcp;
  if (a.transport == "shm" && same_host) return Way::shm;
  if (a.transport == "loopback" && same_process) return Way::loopback;
  if (a.transport == "shm" || a.transport == "loopback")
    return fail(
        Code::invalid_argument,
        "WEFT_TRANSPORT={} cannot connect {} and {}, which are different {}: unset it", a.transport,
        a.host_name, b.host_name,
        a.transport == "shm" ? "hosts, or containers with networks of their own" : "processes");
  return fail(Code::invalid_argument, "WEFT_TRANSPORT={} is not auto, loopback, shm or tcp",
              a.transport);
}

}  // namespace weft::runtime
