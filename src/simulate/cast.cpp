#include "simulate/cast.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "simulate/lower.hpp"

namespace weft::simulate {
namespace {

constexpr u32 none = ~0u;

u64 mix(u64 hash, u64 value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

u64 hash_of(const Script& script) {
  u64 hash = script.steps.size();
  for (const ScriptStep& s : script.steps)
    hash = mix(mix(mix(hash, s.bytes[body]), s.bytes[tail]), u64(s.verb) << 32 | s.messages);
  for (const ScriptMessage& m : script.messages) hash = mix(hash, u64(m.wire) << 1 | m.inter);
  return hash;
}

// Messages of one direction, in the order of (peer, port), each channel's in the order of its lane.
std::vector<u32> by_channel(const Script& script, const Own& own, bool sends) {
  std::vector<u32> order;
  for (u32 m = 0; m < script.messages.size(); ++m)
    if (script.steps[script.messages[m].step].sends() == sends) order.push_back(m);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) {
    return std::pair(own.peers[a], own.ports[a]) < std::pair(own.peers[b], own.ports[b]);
  });
  return order;
}

class Matching {
 public:
  Matching(const std::vector<Script>& scripts, std::vector<Own>& own)
      : scripts_(scripts), own_(own) {}

  Status run() {
    for (u32 rank = 0; rank < own_.size(); ++rank) {
      own_[rank].mates.assign(own_[rank].peers.size(), none);
      receives_.push_back(by_channel(script(rank), own_[rank], false));
    }
    for (u32 rank = 0; rank < own_.size(); ++rank) WEFT_TRY(match_sends(rank));
    for (u32 rank = 0; rank < own_.size(); ++rank)
      for (u32 m : receives_[rank])
        if (own_[rank].mates[m] == none)
          return unmatched(rank, own_[rank].peers[m], own_[rank].ports[m], "receives more than");
    return {};
  }

 private:
  const Script& script(u32 rank) const { return scripts_[own_[rank].script]; }

  tl::unexpected<Error> unmatched(u32 rank, u32 peer, u8 port, const char* what) const {
    return fail(Code::invalid_argument,
                "rank {} {} rank {} has for it on port {}: the programs do not match, prove them "
                "with weft verify",
                rank, what, peer, port);
  }

  Status match_sends(u32 rank) {
    Own& own = own_[rank];
    u32 nth = 0;
    const auto sends = by_channel(script(rank), own, true);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const u32 m = sends[i], peer = own.peers[m];
      const u8 port = own.ports[m];
      nth = i && own.peers[sends[i - 1]] == peer && own.ports[sends[i - 1]] == port ? nth + 1 : 0;
      Own& other = own_[peer];
      const auto& theirs = receives_[peer];
      const auto first = std::lower_bound(
          theirs.begin(), theirs.end(), std::pair(rank, port),
          [&](u32 a, const auto& key) { return std::pair(other.peers[a], other.ports[a]) < key; });
      if (theirs.end() - first <= std::ptrdiff_t(nth))
        return unmatched(rank, peer, port, "sends more than");
      const u32 mate = first[nth];
      if (other.peers[mate] != rank || other.ports[mate] != port)
        return unmatched(rank, peer, port, "sends more than");
      own.mates[m] = mate, other.mates[mate] = m;
      const auto& sent = script(rank).steps[script(rank).messages[m].step].bytes;
      const auto& expected = script(peer).steps[script(peer).messages[mate].step].bytes;
      if (sent != expected)
        return fail(Code::invalid_argument,
                    "rank {} sends {} bytes to rank {} on port {}, which expects {}: the programs "
                    "do not match, prove them with weft verify",
                    rank, sent[tail], peer, port, expected[tail]);
    }
    return {};
  }

  const std::vector<Script>& scripts_;
  std::vector<Own>& own_;
  std::vector<std::vector<u32>> receives_;
};

// Splits ranks until all of one colour have partners of one colour at every message.
class Colouring {
 public:
  explicit Colouring(const std::vector<Own>& own) : own_(own), colour_(own.size()) {}

  std::vector<u32> run() {
    for (u32 rank = 0; rank < own_.size(); ++rank) colour_[rank] = own_[rank].script;
    for (u32 before = 0;;) {
      const u32 colours = split();
      if (colours == before) return colour_;
      before = colours;
    }
  }

 private:
  u64 hash(u32 rank) const {
    u64 hash = colour_[rank];
    for (std::size_t m = 0; m < own_[rank].peers.size(); ++m)
      hash = mix(hash, u64(colour_[own_[rank].peers[m]]) << 32 | own_[rank].mates[m]);
    return hash;
  }

  bool alike(u32 a, u32 b) const {
    const Own &x = own_[a], &y = own_[b];
    if (colour_[a] != colour_[b] || x.mates != y.mates) return false;
    for (std::size_t m = 0; m < x.peers.size(); ++m)
      if (colour_[x.peers[m]] != colour_[y.peers[m]]) return false;
    return true;
  }

  u32 split() {
    std::unordered_multimap<u64, u32> seen;  // hash -> the first rank of a new colour
    std::vector<u32> next(own_.size());
    u32 colours = 0;
    for (u32 rank = 0; rank < own_.size(); ++rank) {
      const u64 key = hash(rank);
      const auto [from, to] = seen.equal_range(key);
      const auto same = std::find_if(from, to, [&](auto& s) { return alike(s.second, rank); });
      if (same != to) {
        next[rank] = next[same->second];
      } else {
        next[rank] = colours++;
        seen.emplace(key, rank);
      }
    }
    colour_ = std::move(next);
    return colours;
  }

  const std::vector<Own>& own_;
  std::vector<u32> colour_;
};

bool shares_wires(const std::vector<Own>& own, u32 wires) {
  std::vector<u32> user(wires, none);
  for (u32 rank = 0; rank < own.size(); ++rank)
    for (u32 wire : own[rank].wires) {
      if (user[wire] != none && user[wire] != rank) return true;
      user[wire] = rank;
    }
  return false;
}

void assemble(Cast& cast, const std::vector<Own>& own, const std::vector<u32>& colour, u32 wires) {
  std::vector<u32> resource(wires, none);
  for (u32 rank = 0; rank < own.size(); ++rank) {
    if (colour[rank] < cast.actors.size()) {
      ++cast.actors[colour[rank]].ranks;
      continue;
    }
    cast.actors.push_back({.rank = rank,
                           .script = own[rank].script,
                           .first_mate = u32(cast.mates.size()),
                           .first_wire = u32(cast.wires.size())});
    for (std::size_t m = 0; m < own[rank].peers.size(); ++m)
      cast.mates.push_back({colour[own[rank].peers[m]], own[rank].mates[m]});
    for (u32 wire : own[rank].wires) {
      if (resource[wire] == none) {
        resource[wire] = u32(cast.resource.size());
        cast.resource.push_back({.inter = wire >= own.size()});
      }
      cast.wires.push_back(resource[wire]);
    }
  }
  for (std::size_t a = 0; a < cast.actors.size(); ++a) {
    const u32 end =
        a + 1 < cast.actors.size() ? cast.actors[a + 1].first_wire : u32(cast.wires.size());
    for (u32 w = cast.actors[a].first_wire; w < end; ++w)
      cast.resource[cast.wires[w]].many = cast.actors[a].ranks;
  }
}

}  // namespace

Result<Cast> lower(const Programs& programs, const Call& call, Merge merge) {
  const schedule::Shape& shape = programs.shape();
  Cast cast{.ranks = shape.ranks(), .nodes = shape.nodes(), .rails = shape.rails};
  Lowering lowering(programs, call);
  cast.slices = lowering.slices();
  std::vector<Own> own(cast.ranks);
  std::unordered_multimap<u64, u32> seen;
  for (u32 rank = 0; rank < cast.ranks; ++rank) {
    WEFT_ASSIGN(Script script, lowering.lower(rank, own[rank]));
    const u64 hash = hash_of(script);
    const auto [from, to] = seen.equal_range(hash);
    const auto same =
        std::find_if(from, to, [&](auto& s) { return cast.scripts[s.second] == script; });
    own[rank].script = same != to ? same->second : u32(cast.scripts.size());
    if (same != to) continue;
    seen.emplace(hash, own[rank].script);
    cast.scripts.push_back(std::move(script));
  }
  WEFT_TRY(Matching(cast.scripts, own).run());
  const u32 wires = Fabric(shape).wires();
  std::vector<u32> colour(cast.ranks);
  std::iota(colour.begin(), colour.end(), 0u);
  if (merge == Merge::alike && !shares_wires(own, wires)) colour = Colouring(own).run();
  assemble(cast, own, colour, wires);
  return cast;
}

}  // namespace weft::simulate
