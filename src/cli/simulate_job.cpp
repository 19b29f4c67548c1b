#include "cli/simulate_job.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "cli/names.hpp"
#include "cli/nearest.hpp"

namespace weft::cli {
namespace {

using schedule::Kind;
using schedule::Order;
using schedule::Shape;

constexpr u32 most_ranks = 1u << 18;  // a few kilobytes each

Result<Order> parse_order(const std::string& text) {
  std::vector<std::string> names;
  for (Order order : {Order::canonical, Order::shape, Order::fast}) {
    if (text == schedule::name_of(order)) return order;
    names.emplace_back(schedule::name_of(order));
  }
  return fail(Code::invalid_argument, "there is no order '{}'{}; canonical, shape and fast are",
              text, did_you_mean(text, names));
}

// "128" nodes of the same size, or a whole shape as other commands take it.
Result<Shape> parse_nodes(const SimulateWords& words, const simulate::Machine& machine) {
  std::string text = words.nodes;
  if (text.find_first_of("x+") == std::string::npos)
    text += fmt::format("x{}", words.ranks_per_node ? words.ranks_per_node : machine.ranks);
  else if (words.ranks_per_node)
    return fail(Code::invalid_argument,
                "--nodes {} says already how many ranks each node has: leave --ranks-per-node out, "
                "or give --nodes a number",
                words.nodes);
  WEFT_ASSIGN(Shape shape, Shape::parse(text));
  if (shape.ranks() > most_ranks)
    return fail(Code::invalid_argument, "nodes {} are {} ranks; the most to simulate is {}", text,
                shape.ranks(), most_ranks);
  shape.rails = words.rails ? words.rails : machine.rails;
  return shape;
}

}  // namespace

Result<u64> bytes_in(const std::string& what, const std::string& text) {
  const std::optional<u64> bytes = parse_bytes(text, "KMGT");
  if (!bytes)
    return fail(Code::invalid_argument,
                "{} '{}' is no size: give a whole number of bytes, or one with K, M, G or T", what,
                text);
  if (*bytes > u64{1} << 50)
    return fail(Code::invalid_argument, "{} '{}' is beyond 1024 TiB", what, text);
  return *bytes;
}

Result<SimulateJob> understand(const SimulateWords& words) {
  SimulateJob job;
  WEFT_ASSIGN(job.machine, simulate::load_machine(words.machine));
  WEFT_ASSIGN(job.kind, parse_kind(words.collective));
  WEFT_ASSIGN(job.order, parse_order(words.order));
  WEFT_ASSIGN(job.shape, parse_nodes(words, job.machine));
  const bool barrier = job.kind == Kind::barrier;
  if (words.bytes.empty() && !barrier)
    return fail(Code::invalid_argument, "how many bytes? give --bytes, as in --bytes 1G");
  if (!words.bytes.empty()) { WEFT_ASSIGN(job.job.bytes, bytes_in("--bytes", words.bytes)); }
  if (job.job.bytes % job.job.element_bytes) job.job.element_bytes = 1;
  if (barrier)
    job.job = {.bytes = 0, .element_bytes = 1}, job.wish = {.slice_bytes = 0, .frames = 1};
  if (!words.slice_bytes.empty()) {
    WEFT_ASSIGN(job.wish.slice_bytes, bytes_in("--slice-bytes", words.slice_bytes));
  }
  if (words.frames) job.wish.frames = words.frames;
  if (words.algorithm.empty()) return job;
  job.algorithm = words.algorithm;
  WEFT_TRY(check_algorithm(words.algorithm));
  return job;
}

std::string bytes_text(u64 bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  u32 unit = 0;
  while (unit < 4 && bytes && bytes % 1024 == 0) bytes /= 1024, ++unit;
  return fmt::format("{} {}", bytes, units[unit]);
}

}  // namespace weft::cli
