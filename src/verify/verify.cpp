#include "verify/verify.hpp"

#include "verify/races.hpp"
#include "verify/values.hpp"

namespace weft::verify {
namespace {

Status check_all_races(const Layout& layout, const Mates& mates, const History& history,
                       const Options& options, std::span<const bool> aliasings) {
  const bool all = options.edges == Edges::all;
  Clocks clocks;
  if (all) clocks = all_clocks(layout, mates, history);
  for (u32 r = 0; r < layout.ranks(); ++r) {
    if (!all) { WEFT_ASSIGN(clocks, own_clocks(layout, r)); }
    for (bool in_place : aliasings) WEFT_TRY(check_races(layout, clocks, r, in_place));
  }
  return {};
}

Result<Order> prove(std::span<const schedule::Program> programs,
                    const schedule::Collective& collective, const Options& options) {
  constexpr bool both[] = {false, true};
  // All-to-all in place sends from an image of its input: no place of it is both.
  const bool apart =
      options.buffers == Buffers::apart || collective.kind == schedule::Kind::all_to_all;
  const std::span<const bool> aliasings = options.buffers == Buffers::both && !apart
                                              ? std::span(both)
                                          : apart ? std::span(both).first(1)
                                                  : std::span(both).last(1);
  WEFT_ASSIGN(const Layout layout, lay_out(programs, collective));
  WEFT_ASSIGN(const Mates mates, match(layout));
  WEFT_ASSIGN(const History history, run(layout, mates, options.instances, options.window));
  WEFT_TRY(check_all_races(layout, mates, history, options, aliasings));
  if (collective.kind == schedule::Kind::barrier) WEFT_TRY(check_barrier(layout, mates, history));
  Order order = Order::canonical;
  for (bool in_place : aliasings) {
    WEFT_ASSIGN(const Order found, check_values(layout, mates, history, options, in_place));
    order = std::max(order, found);
  }
  if (reduces(collective.kind) && order > options.promise)
    return fail(Code::invalid_argument,
                "every rank gets every contribution once, but in the order `{}`, and `{}` was "
                "promised",
                name_of(order), name_of(options.promise));
  return order;
}

}  // namespace

Verdict verify(std::span<const schedule::Program> programs, const schedule::Collective& collective,
               const Options& options) {
  const Result<Order> order = prove(programs, collective, options);
  if (!order) return {.fault = order.error().text};
  return {.order = *order};
}

}  // namespace weft::verify
