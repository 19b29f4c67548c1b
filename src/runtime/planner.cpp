#include "runtime/planner.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "runtime/caches.hpp"

namespace weft::runtime {

static std::vector<u64> sizes_of(const Call& call) {
  std::vector<u64> sizes;
  if (!call.uneven) return sizes;
  for (const schedule::Blocks* blocks : {&call.uneven->input, &call.uneven->output})
    for (const auto* list : {&blocks->count, &blocks->at})
      sizes.insert(sizes.end(), list->begin(), list->end());
  return sizes;
}

Result<Planner::Entry*> Planner::plan(const Call& call, const Recipe& recipe) {
  const Key key{call.kind, call.count,  bytes_of(recipe.combined),
                call.root, recipe.need, sizes_of(call)};
  if (last_ && key == last_key_) {  // calls repeat
    last_->last_use = ++uses_;
    return last_;
  }
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    WEFT_ASSIGN(auto made, make(call, recipe));
    make_room();
    found = plans_.try_emplace(key).first;
    found->second.plan = std::move(made);
  }
  found->second.last_use = ++uses_;
  last_key_ = key;
  last_ = &found->second;
  return last_;
}

void Planner::make_room() {
  constexpr std::size_t most = 512;
  if (plans_.size() < most) return;
  last_ = nullptr;
  auto oldest = plans_.end();
  for (auto it = plans_.begin(); it != plans_.end(); ++it)
    if (it->second.users.load(std::memory_order_acquire) == 0 &&
        (oldest == plans_.end() || it->second.last_use < oldest->second.last_use))
      oldest = it;
  if (oldest != plans_.end()) plans_.erase(oldest);
}

Result<std::unique_ptr<executor::Plan>> Planner::make(const Call& call, const Recipe& recipe) {
  const u32 ranks = world_.shape.ranks();
  const u64 bytes = vector_elements(call, ranks) * bytes_of(recipe.combined);
  WEFT_ASSIGN(const Choice choice, choose(call, bytes, recipe.need));
  WEFT_ASSIGN(auto emitted,
              algorithms::emit(choice.algorithm, call.kind, world_.shape, call.root, rank_));
  log::debug("rank {}: {} takes {}: {}", rank_, describe(sign(call)), choice.algorithm, choice.why);
  executor::Layout layout{.count = call.count, .element_bytes = u32(bytes_of(recipe.combined))};
  const u64 unit = std::max<u64>(1, cache_line_bytes / layout.element_bytes);
  if (choice.slice_bytes) {
    const u64 elements =
        choice.slice_bytes / layout.element_bytes / (schedule::has_blocks(call.kind) ? ranks : 1);
    layout.slice_elements = std::max<u64>(unit, elements / unit * unit);
  }
  layout.streams = exceeds_caches(call.kind, bytes, world_.shape);
  const bool token = call.kind == schedule::Kind::barrier;
  if (token) layout = {.count = 1, .element_bytes = 1};
  auto partition = token         ? schedule::Partition::token()
                   : call.uneven ? schedule::Partition::uneven(emitted.tiling, call.uneven->input,
                                                               call.uneven->output, unit)
                                 : schedule::Partition(emitted.tiling, call.count, unit);
  partition.look_from(emitted.program);
  WEFT_ASSIGN(auto plan, executor::lower(std::move(emitted.program), std::move(emitted.collective),
                                         partition, layout, fabric_));
  return plan;
}

// Where not all ranks know all sizes, blocks go straight from one to the other; and uneven blocks
// are not cut into slices.
Result<Choice> Planner::choose(const Call& call, u64 bytes, Need need) const {
  const bool is_straight =
      call.uneven && !schedule::reduces(call.kind) && call.kind != schedule::Kind::all_gather;
  if (is_straight) return Choice{"direct", 0, "sizes are known to those concerned"};
  WEFT_ASSIGN(Choice choice, select(call.kind, bytes, need, world_));
  if (call.uneven) choice.slice_bytes = 0;
  return choice;
}

Result<std::string> Planner::explain(const Call& call, const Recipe& recipe) const {
  const u64 bytes = vector_elements(call, world_.shape.ranks()) * bytes_of(recipe.combined);
  WEFT_ASSIGN(const Choice choice, choose(call, bytes, recipe.need));
  const std::string slices =
      choice.slice_bytes ? fmt::format("slices of {} KiB", choice.slice_bytes / 1024) : "one slice";
  return fmt::format(
      "{} on nodes {}, {}, order {} ({})", choice.algorithm, world_.shape.text(), slices,
      schedule::name_of(algorithms::order_of(choice.algorithm, call.kind, world_.shape)),
      choice.why);
}

}  // namespace weft::runtime
