#include "schedule/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <vector>

#include "base/result.hpp"

namespace weft::schedule {

namespace {

class Bytes {
 public:
  void add(u64 value) {
    char bytes[8];
    for (u32 i = 0; i < 8; ++i) bytes[i] = char(value >> (8 * i) & 0xff);
    bytes_.append(bytes, sizeof bytes);
  }
  void add(const std::vector<u32>& list) {
    add(list.size());
    for (u32 value : list) add(value);
  }
  void add(const Span& span) {
    add(span.first);
    add(u64(span.buffer) | u64(span.stride) << 8 | u64(span.right) << 16);
  }
  void add(const Step& s) {
    for (const Span* span : {&s.target, &s.source, &s.second}) add(*span);
    add(u64(s.count) | u64(s.peer) << 32);
    add(u64(s.wait_steps[0]) | u64(s.wait_steps[1]) << 32);
    add(u64(s.wait_lane[0]) | u64(s.wait_lane[1]) << 8 | u64(s.fan) << 16 | u64(s.verb) << 32 |
        u64(s.port) << 40 | u64(s.level) << 48 | u64(s.lane) << 56);
  }
  Digest digest() const {
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return {hash.high64, hash.low64};
  }

 private:
  std::string bytes_;
};

}  // namespace

std::string Digest::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Digest digest(const Program& program) {
  Bytes bytes;
  for (u64 value : {program.rank, program.ranks, program.atoms, program.planes, program.lanes})
    bytes.add(value);
  bytes.add(program.levels.size());
  for (const Level& level : program.levels) {
    bytes.add(level.me);
    bytes.add(level.rank);
    bytes.add(level.cut);
    bytes.add(level.atom);
  }
  std::vector<std::vector<const Step*>> lanes(program.lanes);
  for (const Step& step : program.steps) {
    WEFT_ASSERT(step.lane < program.lanes);
    lanes[step.lane].push_back(&step);
  }
  for (const auto& lane : lanes)
    for (const Step* step : lane) bytes.add(*step);
  return bytes.digest();
}

Digest digest(const Collective& collective, const Tiling& tiling,
              std::span<const Digest> programs) {
  Bytes bytes;
  bytes.add(u64(collective.kind));
  bytes.add(collective.root);
  bytes.add(collective.owner);
  bytes.add(collective.ranks);
  for (u64 value : {tiling.shards, tiling.sub, u32(tiling.blocks) + 2 * u32(tiling.pairs)})
    bytes.add(value);
  for (const auto* list : {&tiling.owner, &tiling.part, &tiling.parts}) bytes.add(*list);
  bytes.add(programs.size());
  for (const Digest& program : programs) bytes.add(program.high), bytes.add(program.low);
  return bytes.digest();
}

Digest digest(const Schedule& schedule) {
  std::vector<Digest> programs;
  for (const Program& program : schedule.programs) programs.push_back(digest(program));
  return digest(schedule.collective, schedule.tiling, programs);
}

}  // namespace weft::schedule
