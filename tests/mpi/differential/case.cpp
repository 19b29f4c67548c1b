#include "case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace differential {

namespace {

constexpr const char* names[collectives] = {
    "all_reduce", "reduce_scatter", "all_gather",      "broadcast",   "barrier",     "reduce",
    "gather",     "scatter",        "all_to_all",      "scan",        "exscan",      "gatherv",
    "scatterv",   "all_gatherv",    "reduce_scatterv", "all_to_allv", "all_to_allvc"};
constexpr const char* form_names[forms] = {"blocking", "request", "planned", "group"};

constexpr weft_datatype_t types[] = {weft_int8,  weft_uint8,  weft_int32,   weft_uint32,
                                     weft_int64, weft_uint64, weft_float32, weft_float64};
constexpr weft_op_t sums[] = {weft_sum, weft_prod, weft_min, weft_max};
constexpr weft_op_t bits[] = {weft_band, weft_bor, weft_bxor};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return state_ = mix(state_, ++drawn_); }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint64_t state_, drawn_ = 0;
};

// Small ones mostly, whatever meets a boundary of lines, slots and slices now and then.
std::size_t draw_count(Dice& dice) {
  switch (dice.below(8)) {
    case 0: return dice.below(3);
    case 1: return 73;
    case 2: return 1 + dice.below(20000);
    case 3: return (std::size_t{1} << dice.below(15)) + dice.below(3) - 1;
    case 4: return dice.one_in(4) ? 100000 + dice.below(300000) : dice.below(4000);
    default: return 1 + dice.below(300);
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = a * 0x9e3779b97f4a7c15u + b + 0x7f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}

bool is_uneven(Collective collective) { return collective >= Collective::gatherv; }

bool reduces(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::reduce_scatterv: return true;
    default: return false;
  }
}

bool has_root(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter:
    case Collective::gatherv:
    case Collective::scatterv: return true;
    default: return false;
  }
}

std::string Case::text() const {
  return fmt::format("{} count {} type {} op {} root {}{}{}{} {} x{} world {} data {:#x}",
                     names[int(collective)], count, int(type), int(op), root,
                     in_place ? " in place" : "", gaps ? " with gaps" : "", lent ? " mapped" : "",
                     form_names[int(form)], in_flight, world, seed);
}

Case draw(std::uint64_t seed, std::uint64_t index, int ranks, int worlds) {
  Dice dice(mix(seed, index));
  Case c;
  c.seed = dice.next();
  c.collective = Collective(dice.below(collectives));
  c.type = dice.pick(types);
  const bool is_float = c.type == weft_float32 || c.type == weft_float64;
  c.op = reduces(c.collective) && !is_float && dice.one_in(3) ? dice.pick(bits) : dice.pick(sums);
  c.count = draw_count(dice);
  c.root = has_root(c.collective) ? int(dice.below(std::uint64_t(ranks))) : 0;
  c.in_place = dice.one_in(3);
  c.gaps = is_uneven(c.collective) && dice.one_in(2);
  c.lent = dice.one_in(3);
  c.form = Form(dice.below(forms));
  c.in_flight = c.form == Form::blocking ? 1 : 1 + int(dice.below(4));
  c.world = int(dice.below(std::uint64_t(worlds)));
  return c;
}

std::vector<Case> smaller(const Case& from) {
  std::vector<Case> found;
  const auto with = [&](auto change) {
    Case c = from;
    change(c);
    if (c.text() != from.text()) found.push_back(c);
  };
  with([](Case& c) { c.count = 0; });
  with([](Case& c) { c.count /= 16; });
  with([](Case& c) { c.count /= 2; });
  with([](Case& c) { c.count -= c.count > 0; });
  with([](Case& c) { c.form = Form::blocking, c.in_flight = 1; });
  with([](Case& c) { c.in_flight = 1; });
  with([](Case& c) { c.in_place = false; });
  with([](Case& c) { c.lent = false; });
  with([](Case& c) { c.gaps = false; });
  with([](Case& c) { c.root = 0; });
  with([](Case& c) { c.op = weft_sum; });
  with([](Case& c) { c.type = weft_uint8; });
  with([](Case& c) { c.world = 0; });
  return found;
}

std::size_t elements(const Case& c, int from, int to) {
  const bool pairs =
      c.collective == Collective::all_to_allv || c.collective == Collective::all_to_allvc;
  // Whoever the other side is, a rank's block has one size in all but all-to-all.
  const std::uint64_t key =
      pairs ? mix(std::uint64_t(from), std::uint64_t(to))
      : c.collective == Collective::scatterv || c.collective == Collective::reduce_scatterv
          ? std::uint64_t(to)
          : std::uint64_t(from);
  const std::uint64_t h = mix(c.seed, key);
  switch (h % 4) {  // sparse ones, too
    case 0: return 0;
    case 1: return c.count;
    default: return h / 4 % (c.count + 1);
  }
}

}  // namespace differential
