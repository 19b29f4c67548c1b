#include "mutate.hpp"

namespace weft::verify::mutate {
namespace {

using schedule::Span;
using schedule::Verb;

Span& span_of(Step& s, int which) {
  return which == 0 ? s.target : which == 1 ? s.source : s.second;
}

class Maker {
 public:
  Maker(const Program& program, u32 step)
      : program_(program), number_(step), step_(program.steps[step]) {}

  std::vector<Mutant> make(bool ordered) {
    add("drop", [n = number_](Program& p, Step&) { p.steps.erase(p.steps.begin() + n); });
    if (!step_.is_local()) add_message(ordered);
    if (step_.count) add_spans();
    add_verbs();
    add_waits();
    return std::move(mutants_);
  }

 private:
  void add(const char* kind, std::function<void(Program&, Step&)> change) {
    mutants_.push_back({kind, program_.rank, number_, std::move(change)});
  }

  void add_message(bool ordered) {
    const u32 positions = program_.levels[step_.level].positions();
    for (u32 by = 1; step_.fan == 1 && by < positions; ++by)
      add("peer", [=](Program&, Step& s) { s.peer = (s.peer + by) % positions; });
    if (step_.fan > 1) {
      // The one that falls out must not be the own position, which is no message.
      const bool own_last = program_.levels[step_.level].me + 1 == step_.peer + step_.fan;
      add("fan", [=](Program&, Step& s) { --s.fan, s.peer += own_last; });
    }
    add("port", [](Program&, Step& s) { ++s.port; });
    if (step_.verb == Verb::recv_reduce && step_.fan == 1 && ordered)
      add("side", [](Program&, Step& s) { s.source.right = !s.source.right; });
  }

  void add_spans() {
    const u32 chunks = program_.levels[step_.level].chunks();
    for (int which = 0; which < 3; ++which) {
      Step copy = step_;
      if (!span_of(copy, which).valid()) continue;
      for (u32 by = 1; by < chunks; ++by)
        add("span", [=](Program&, Step& s) {
          span_of(s, which).first = (span_of(s, which).first + by) % chunks;
        });
      add("buffer", [=](Program&, Step& s) {
        auto& buffer = span_of(s, which).buffer;
        buffer = buffer == schedule::output ? schedule::input : schedule::output;
      });
    }
    if (step_.count > 1)
      add("stride", [](Program&, Step& s) {
        for (int which = 0; which < 3; ++which) ++span_of(s, which).stride;
      });
    if (step_.count > 1) add("count", [](Program&, Step& s) { --s.count; });
    if (step_.count < chunks) add("count", [](Program&, Step& s) { ++s.count; });
  }

  void add_verbs() {
    if (step_.verb == Verb::recv_reduce)
      add("verb", [](Program&, Step& s) { s.verb = Verb::recv, s.source = {}; });
    if (step_.verb == Verb::recv)
      add("verb", [](Program&, Step& s) { s.verb = Verb::recv_reduce, s.source = s.target; });
    if (step_.verb == Verb::reduce)
      add("verb", [](Program&, Step& s) { s.verb = Verb::copy, s.second = {}; });
    if (step_.verb == Verb::reduce)
      add("side", [](Program&, Step& s) { std::swap(s.source, s.second); });
  }

  void add_waits() {
    for (int w = 0; w < 2; ++w) {
      if (!step_.wait(w).valid()) continue;
      add("wait", [=](Program&, Step& s) { s.set_wait(w, {}); });
      add("wait-1", [=](Program&, Step& s) {
        const auto wait = s.wait(w);
        s.set_wait(w,
                   wait.steps > 1 ? schedule::Wait{wait.lane, wait.steps - 1} : schedule::Wait{});
      });
    }
  }

  const Program& program_;
  const u32 number_;
  const Step step_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants_of(const Program& program, u32 step, bool ordered) {
  return Maker(program, step).make(ordered);
}

}  // namespace weft::verify::mutate
