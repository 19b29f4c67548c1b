#include "cli/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "algorithms/table.hpp"
#include "cli/shapes.hpp"
#include "verify/verify.hpp"

namespace weft::cli {
namespace {

using schedule::Kind;
using schedule::Order;
using schedule::Shape;
using verify::Buffers;

std::string name_of(const Shape& shape) {
  return fmt::format("{}{}{}", shape.text(),
                     shape.rails > 1 ? fmt::format(", {} rails", shape.rails) : "",
                     shape.order.empty() ? "" : ", ranks dealt out in turn");
}

bool is_flat(const std::string& algorithm) { return algorithm.find('/') == std::string::npos; }

}  // namespace

std::vector<u32> roots_of(Kind kind, u32 ranks, std::mt19937_64& dice) {
  if (!has_root(kind)) return {0};
  std::set<u32> roots{0, ranks - 1};
  if (ranks <= most_ranks_in_full)
    for (u32 r = 0; r < ranks; ++r) roots.insert(r);
  else
    for (int i = 0; i < 2; ++i) roots.insert(u32(dice() % ranks));
  return {roots.begin(), roots.end()};
}

void Matrix::prove(const Selection& selection, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  auto last_report = Clock::now();
  const auto work = [&] {
    for (std::size_t i; (i = next++) < selection.shapes.size();) {
      prove_shape(selection, selection.shapes[i]);
      const std::lock_guard report(reporting);
      if (Clock::now() - last_report < std::chrono::seconds(5)) continue;
      last_report = Clock::now();
      const std::lock_guard lock(mutex_);
      progress(selection.shapes[i].ranks(), total_);
    }
  };
  std::vector<std::jthread> threads;
  for (u32 j = 1; j < selection.jobs; ++j) threads.emplace_back(work);
  work();
}

void Matrix::prove_shape(const Selection& selection, const Shape& shape) {
  std::seed_seq seed{u32(selection.seed), u32(selection.seed >> 32), shape.ranks()};
  std::mt19937_64 dice(seed);
  const bool flat_too =
      shape.nodes() == 1 || shape.ranks() <= most_ranks_in_full || selection.shapes.size() == 1;
  for (Kind kind : selection.kinds) {
    const std::vector<u32> roots = roots_of(kind, shape.ranks(), dice);
    for (const std::string& algorithm : algorithms::names(kind, shape)) {
      if (!selection.algorithm.empty() && algorithm != selection.algorithm) continue;
      if (is_flat(algorithm) && !flat_too) continue;
      for (u32 root : roots) prove_case(algorithm, kind, shape, root);
    }
  }
}

void Matrix::prove_case(const std::string& algorithm, Kind kind, const Shape& shape, u32 root) {
  const std::string name = fmt::format("{} {} on {}{}", algorithm, schedule::name_of(kind),
                                       name_of(shape), root ? fmt::format(", root {}", root) : "");
  const auto schedule = algorithms::emit_all(algorithm, kind, shape, root);
  if (!schedule) return count(algorithm, kind, false, name + ": " + schedule.error().text);
  const Order promise = algorithms::order_of(algorithm, kind, shape);
  const auto judge = [&](Buffers buffers) -> std::string {
    const auto verdict = verify::verify(schedule->programs, schedule->collective,
                                        {.buffers = buffers, .promise = promise, .shape = &shape});
    if (!verdict.ok() || !reduces(kind) || promise == Order::fast || verdict.order == promise)
      return verdict.fault;
    return fmt::format("the order is `{}`, and the table promises `{}` only",
                       schedule::name_of(verdict.order), schedule::name_of(promise));
  };
  // A barrier moves no data of the caller's, all-to-all in place reads an image of its input.
  const bool may_alias = kind != Kind::barrier && kind != Kind::all_to_all;
  // One pass proves both; only a fault needs to be told apart.
  if (may_alias && judge(Buffers::both).empty()) {
    count(algorithm, kind, true, {});
    count(algorithm, kind, true, {});
    return;
  }
  const std::string apart = judge(Buffers::apart);
  count(algorithm, kind, apart.empty(), name + ": " + apart);
  if (!may_alias) return;
  const std::string in_place = judge(Buffers::in_place);
  count(algorithm, kind, in_place.empty(), name + ", in place: " + in_place);
}

void Matrix::count(const std::string& algorithm, Kind kind, bool proved, const std::string& why) {
  constexpr std::size_t most_faults = 5;
  const std::lock_guard lock(mutex_);
  for (Tally* tally : {&rows_[algorithm][std::size_t(kind)], &total_}) {
    ++tally->total;
    tally->proved += proved;
  }
  if (!proved && faults_.size() < most_faults) faults_.push_back(why);
}

std::string Matrix::text() const {
  std::string text = fmt::format("{:<36}", "algorithm");
  for (Kind kind : schedule::all_kinds) text += fmt::format(" {:>15}", schedule::name_of(kind));
  text += "\n";
  for (const auto& [algorithm, row] : rows_) {
    text += fmt::format("{:<36}", algorithm);
    for (const Tally& cell : row)
      text += fmt::format(
          " {:>15}", cell.total ? fmt::format("{}/{}", cell.proved, cell.total) : std::string("-"));
    text += "\n";
  }
  return text;
}

}  // namespace weft::cli
