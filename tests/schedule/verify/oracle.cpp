#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft::verify::oracle {
namespace {

using schedule::Program;
using schedule::Span;
using schedule::Step;

class Graph {
 public:
  explicit Graph(std::span<const Program> programs, bool messages) : programs_(programs) {
    first_.push_back(0);
    for (const Program& p : programs) first_.push_back(first_.back() + 2 * p.steps.size());
    reach_.assign(first_.back(), std::vector<bool>(first_.back()));
    for (std::size_t r = 0; r < programs.size(); ++r) add_own_edges(r);
    if (messages) add_messages();
    for (std::size_t m = 0; m < reach_.size(); ++m)
      for (std::size_t a = 0; a < reach_.size(); ++a)
        for (std::size_t b = 0; reach_[a][m] && b < reach_.size(); ++b)
          if (reach_[m][b]) reach_[a][b] = true;
  }

  std::size_t issue(std::size_t rank, std::size_t step) const { return first_[rank] + 2 * step; }
  std::size_t retire(std::size_t rank, std::size_t step) const { return issue(rank, step) + 1; }
  bool before(std::size_t a, std::size_t b) const { return reach_[a][b]; }

 private:
  void add_own_edges(std::size_t r) {
    const auto& steps = programs_[r].steps;
    std::map<u32, std::vector<std::size_t>> lanes;
    for (std::size_t i = 0; i < steps.size(); ++i) lanes[steps[i].lane].push_back(i);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      reach_[issue(r, i)][retire(r, i)] = true;
      for (int w = 0; w < 2; ++w)
        if (const auto wait = steps[i].wait(w); wait.valid() && wait.steps)
          reach_[retire(r, lanes[wait.lane][wait.steps - 1])][issue(r, i)] = true;
    }
    for (const auto& [lane, list] : lanes)
      for (std::size_t k = 1; k < list.size(); ++k) {
        const std::size_t a = list[k - 1], b = list[k];
        const bool overlaps = schedule::overlaps_predecessor(steps[a], steps[b]);
        reach_[overlaps ? issue(r, a) : retire(r, a)][issue(r, b)] = true;
        reach_[retire(r, a)][retire(r, b)] = true;
      }
  }

  void add_messages() {
    using Channel = std::tuple<u32, u32, u32>;
    std::map<Channel, std::vector<std::size_t>> sends, receives;
    for (u32 r = 0; r < programs_.size(); ++r)
      for (std::size_t i = 0; i < programs_[r].steps.size(); ++i) {
        const Step& s = programs_[r].steps[i];
        if (s.is_local()) continue;
        schedule::for_each_peer(programs_[r], s, [&](u32 q) {
          if (s.sends())
            sends[{r, q, s.port}].push_back(issue(r, i));
          else
            receives[{q, r, s.port}].push_back(retire(r, i));
        });
      }
    for (const auto& [channel, list] : sends)
      for (std::size_t k = 0; k < list.size(); ++k) reach_[list[k]][receives[channel].at(k)] = true;
  }

  std::span<const Program> programs_;
  std::vector<std::size_t> first_;
  std::vector<std::vector<bool>> reach_;
};

struct Access {
  std::size_t step;
  bool write;
};

}  // namespace

bool has_race(const Program& program, const schedule::Collective& collective, bool in_place) {
  const Graph graph({&program, 1}, false);
  std::map<std::pair<u32, u32>, std::vector<Access>> uses;  // (buffer, atom)
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& s = program.steps[i];
    for (const Span* span : {&s.target, &s.source, &s.second}) {
      if (!span->valid() || !s.count) continue;
      schedule::for_each_atom(program, s, *span, [&](u32 atom) {
        u32 buffer = span->buffer;
        if (in_place && buffer == schedule::input &&
            collective.exists(program.rank, schedule::output, atom))
          buffer = schedule::output;
        uses[{buffer, atom}].push_back({i, span == &s.target});
      });
    }
  }
  for (const auto& [place, list] : uses)
    for (const Access& a : list)
      for (const Access& b : list)
        if (a.step < b.step && (a.write || b.write) &&
            !graph.before(graph.retire(0, a.step), graph.issue(0, b.step)) &&
            !graph.before(graph.retire(0, b.step), graph.issue(0, a.step)))
          return true;
  return false;
}

bool is_barrier(std::span<const Program> programs) {
  const Graph graph(programs, true);
  for (std::size_t a = 0; a < programs.size(); ++a)
    for (std::size_t b = 0; b < programs.size(); ++b) {
      bool known = a == b;
      for (std::size_t i = 0; i < programs[b].steps.size(); ++i)
        for (std::size_t j = 0; j < programs[a].steps.size(); ++j)
          known = known || graph.before(graph.issue(b, i), graph.retire(a, j));
      if (!known) return false;
    }
  return true;
}

}  // namespace weft::verify::oracle
