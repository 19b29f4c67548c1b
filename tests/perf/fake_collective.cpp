#include "fake_collective.hpp"

#include <numeric>

namespace weft::fake {
namespace {

// One after the other, in the order of ranks.
std::vector<char> reduction(const Operations& ops, std::size_t count) {
  const weft_datatype_t type = ops[0].type;
  const weft_op_t op = ops[0].scalar ? weft_sum : ops[0].op;
  const std::size_t bytes = model::bytes_of(type);
  std::vector<char> results(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<model::Value> result;
    for (const Operation& operation : ops) {
      const auto* send = static_cast<const std::byte*>(operation.send);
      model::Value input = model::decoded(type, send + i * bytes);
      if (operation.scalar) input = model::multiplied(type, input, *operation.scalar);
      result =
          result ? model::combined(model::combining_type(type, op), op, *result, input) : input;
    }
    const auto size = static_cast<int>(ops.size());
    model::encode(type, model::finished(type, op, *result, size),
                  reinterpret_cast<std::byte*>(results.data()) + i * bytes);
  }
  return results;
}

}  // namespace

std::vector<char> uneven_results_of(const Operations& ops, std::size_t to) {
  const std::size_t bytes = model::bytes_of(ops[to].type);
  std::vector<char> all;
  if (ops[to].kind == weft_collective_reduce_scatter) {
    const std::vector<std::size_t>& counts = ops[to].received;
    const std::size_t before = std::accumulate(counts.begin(), counts.begin() + to, std::size_t{0});
    const std::size_t end = before + counts[to];
    const std::vector<char> sums = reduction(ops, end);
    return {sums.begin() + before * bytes, sums.end()};
  }
  for (const Operation& from : ops) {
    if (from.sent.empty()) continue;
    const auto mine = from.sent.begin() + to;
    const std::size_t before =
        from.one_block ? 0 : std::accumulate(from.sent.begin(), mine, std::size_t{0});
    const char* const block = static_cast<const char*>(from.send) + before * bytes;
    all.insert(all.end(), block, block + *mine * bytes);
  }
  return all;
}

std::vector<char> results_of(const Operations& ops) {
  const Operation& any = ops[0];
  std::vector<char> all;
  const auto append = [&](const Operation& from, std::size_t block = 0, std::size_t blocks = 1) {
    const std::size_t size = from.count * weft_datatype_bytes(from.type);
    const char* const bytes = static_cast<const char*>(from.send) + block * size;
    all.insert(all.end(), bytes, bytes + blocks * size);
  };
  switch (any.kind) {
    case weft_collective_all_reduce: return reduction(ops, any.count);
    case weft_collective_reduce_scatter: return reduction(ops, any.count * ops.size());
    case weft_collective_all_gather:
      for (const Operation& op : ops) append(op);
      break;
    case weft_collective_broadcast: append(ops[any.root]); break;
    case weft_collective_reduce: return reduction(ops, any.count);
    case weft_collective_gather:
      for (const Operation& op : ops) append(op);
      break;
    case weft_collective_scatter: append(ops[any.root], 0, ops.size()); break;
    case weft_collective_all_to_all:  // what rank 0 gets, then what rank 1 gets
      for (std::size_t to = 0; to < ops.size(); ++to)
        for (const Operation& op : ops) append(op, to, 1);
      break;
    default: break;
  }
  return all;
}

}  // namespace weft::fake
