#include "verify/values.hpp"

#include <algorithm>

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

using schedule::Kind;
using schedule::Span;
using schedule::Verb;
using Tree = Trees::Tree;

class Replay {
 public:
  Replay(const Layout& layout, const Mates& mates, const Options& options, bool in_place)
      : layout_(layout),
        mates_(mates),
        collective_(*layout.collective),
        in_place_(in_place),
        trees_(layout.ranks()),
        canonical_(trees_.canonical(layout.ranks())),
        shape_(options.shape ? trees_.of_shape(*options.shape) : Trees::nothing) {
    for (u32 r = 0; r < layout.ranks(); ++r) {
      places_.push_back({&collective_, r, layout.atoms(), in_place});
      begin_.push_back(values_.size());
      values_.resize(values_.size() + places_[r].count(layout.programs[r].planes));
    }
    writer_.resize(values_.size());
    if (is_scan(collective_.kind))
      for (u32 r = 0; r < layout.ranks(); ++r) prefix_.push_back(trees_.canonical(operands_of(r)));
  }

  // Instances touch disjoint parts of the caller's buffers and none reads another's scratch, so
  // each is replayed on a fresh memory.
  Result<Order> run(const History& history, u32 instance) {
    reset();
    for (const Moment& moment : history)
      if (moment.what == Moment::move && moment.instance == instance) WEFT_TRY(move(moment.task));
    return collective_.kind == Kind::barrier ? Result<Order>(Order::fast) : outcome();
  }

 private:
  void reset() {
    std::fill(values_.begin(), values_.end(), Trees::nothing);
    std::fill(writer_.begin(), writer_.end(), none);
    for (u32 r = 0; r < layout_.ranks(); ++r)
      collective_.for_each_atom_of(r, schedule::input, layout_.atoms(), [&](u32 a) {
        values_[begin_[r] + places_[r].of(schedule::input, a)] = trees_.leaf(r);
      });
  }

  // How many ranks, from 0 on, contribute to the result of a rank.
  u32 operands_of(u32 rank) const {
    if (collective_.kind == Kind::scan) return rank + 1;
    return collective_.kind == Kind::exscan ? rank : layout_.ranks();
  }

  std::size_t place(u32 rank, schedule::Buffer buffer, u32 atom) const {
    return begin_[rank] + places_[rank].of(buffer, atom);
  }

  Status move(u32 t) {
    const Task& task = layout_.task[t];
    for (u32 atom : layout_.atoms_of(task)) {
      const Tree value = evaluate(t, task, atom);
      if (value == Trees::nothing) return fail(Code::invalid_argument, "{}", fault_);
      const std::size_t p = place(task.rank, task.step->target.buffer, atom);
      values_[p] = value;
      writer_[p] = t;
    }
    return {};
  }

  // Nothing, with the reason in fault_, where an operand is not there or would count twice.
  Tree evaluate(u32 t, const Task& task, u32 atom) {
    const schedule::Step& s = *task.step;
    if (s.verb == Verb::recv) return incoming(mates_[task.first_peer], atom);
    if (s.verb == Verb::recv_reduce && s.fan > 1) return evaluate_fan(t, task, atom);
    const Tree source = read(t, s.source, atom);
    if (s.verb == Verb::copy) return source;
    if (s.verb == Verb::reduce) return combine(t, source, read(t, s.second, atom), atom);
    const Tree other = incoming(mates_[task.first_peer], atom);
    return s.source.right ? combine(t, other, source, atom) : combine(t, source, other, atom);
  }

  // The canonical tree over the fan's positions, the own one being the source.
  Tree evaluate_fan(u32 t, const Task& task, u32 atom) {
    const schedule::Step& s = *task.step;
    const u32 me = layout_.programs[task.rank].levels[s.level].me;
    u32 next = task.first_peer;
    return canonical_tree(
        s.peer, s.peer + s.fan,
        [&](u32 position) {
          return position == me ? read(t, s.source, atom) : incoming(mates_[next++], atom);
        },
        [&](Tree left, Tree right) { return combine(t, left, right, atom); });
  }

  Tree incoming(u32 send, u32 atom) { return read(send, layout_.task[send].step->source, atom); }

  Tree read(u32 t, const Span& span, u32 atom) {
    const Tree value = values_[place(layout_.task[t].rank, span.buffer, atom)];
    if (value == Trees::nothing)
      fault_ = fmt::format("{}{} reads atom {} of the {}, which nothing has written before",
                           describe(layout_, t), aliasing(), atom, name_of(span.buffer));
    return value;
  }

  Tree combine(u32 t, Tree left, Tree right, u32 atom) {
    if (left == Trees::nothing || right == Trees::nothing) return Trees::nothing;
    const Tree tree = trees_.combine(left, right);
    if (tree == Trees::nothing)
      fault_ = fmt::format(
          "{}{} counts a contribution twice: at atom {} it adds {} to {}, and both "
          "hold rank {}",
          describe(layout_, t), aliasing(), atom, trees_.text(right), trees_.text(left),
          list_of(trees_.shared(left, right)));
    return tree;
  }

  Result<Order> outcome() const {
    Order order = reduces(collective_.kind) ? Order::canonical : Order::fast;
    for (u32 a = 0; a < layout_.atoms(); ++a)
      for (u32 r = 0; r < layout_.ranks(); ++r) {
        if (!collective_.exists(r, schedule::output, a)) continue;
        const Tree tree = values_[place(r, schedule::output, a)];
        WEFT_TRY(check_output(r, a, tree));
        if (reduces(collective_.kind)) order = std::max(order, order_of(r, tree));
      }
    return order;
  }

  Order order_of(u32 rank, Tree tree) const {
    if (tree == (prefix_.empty() ? canonical_ : prefix_[rank])) return Order::canonical;
    return tree == shape_ ? Order::shape : Order::fast;
  }

  Status check_output(u32 rank, u32 atom, Tree tree) const {
    if (tree == Trees::nothing) return wrong(rank, atom, "holds nothing at the end");
    if (!reduces(collective_.kind)) {
      const u32 from = source_of(atom);
      if (tree == trees_.leaf(from)) return {};
      return wrong(rank, atom,
                   fmt::format("must hold rank {}'s data and holds {}", from, trees_.text(tree)));
    }
    if (!trees_.complete(tree, operands_of(rank))) {
      const auto odd = trees_.odd(tree, operands_of(rank));
      return wrong(rank, atom,
                   fmt::format("{} the contribution of rank {}: it holds {}",
                               odd[0] < operands_of(rank) ? "lacks" : "has what it must not have,",
                               list_of(odd), trees_.text(tree)));
    }
    if (collective_.kind != Kind::all_reduce) return {};
    const Tree first = values_[place(0, schedule::output, atom)];
    if (tree == first) return {};
    return wrong(rank, atom,
                 fmt::format("is added up as {}, on rank 0 as {}: ranks would not get "
                             "the same bits",
                             trees_.text(tree), trees_.text(first)));
  }

  u32 source_of(u32 atom) const {
    switch (collective_.kind) {
      case Kind::broadcast:
      case Kind::scatter: return collective_.root;
      case Kind::all_to_all: return collective_.source_of(atom);
      default: return collective_.owner_of(atom);
    }
  }

  template <class What>
  tl::unexpected<Error> wrong(u32 rank, u32 atom, const What& what) const {
    const u32 t = writer_[place(rank, schedule::output, atom)];
    return fail(Code::invalid_argument, "rank {}: atom {} of the output{} {}; {}", rank, atom,
                aliasing(), what,
                t == none ? std::string("no step wrote it")
                          : "the last to write it was " + describe(layout_, t));
  }

  const char* aliasing() const { return in_place_ ? ", in place," : ""; }

  const Layout& layout_;
  const Mates& mates_;
  const schedule::Collective& collective_;
  const bool in_place_;
  Trees trees_;
  const Tree canonical_, shape_;
  std::vector<Tree> prefix_;  // of a scan: what each rank must have
  std::vector<Places> places_;
  std::vector<std::size_t> begin_;  // rank -> its first location
  std::vector<Tree> values_;
  std::vector<u32> writer_;  // location -> the last task that wrote it
  std::string fault_;
};

}  // namespace

Result<Order> check_values(const Layout& layout, const Mates& mates, const History& history,
                           const Options& options, bool in_place) {
  Replay replay(layout, mates, options, in_place);
  Order order = Order::canonical;
  for (u32 i = 0; i < options.instances; ++i) {
    WEFT_ASSIGN(const Order found, replay.run(history, i));
    order = std::max(order, found);
  }
  return order;
}

}  // namespace weft::verify
