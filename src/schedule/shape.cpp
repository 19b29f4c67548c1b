#include "schedule/shape.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace weft::schedule {

namespace {

constexpr u32 most_ranks = 1u << 24;  // of a shape in text: beyond it is a typing error

// A whole number from 1 on that fills the text; 0 if it does not.
u32 number(std::string_view text) {
  u32 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

}  // namespace

u32 Shape::ranks() const { return std::accumulate(size.begin(), size.end(), 0u); }

u32 Shape::base(u32 node) const { return std::accumulate(size.begin(), size.begin() + node, 0u); }

u32 Shape::seat_of(u32 rank) const {
  if (order.empty()) return rank;
  return u32(std::find(order.begin(), order.end(), rank) - order.begin());
}

u32 Shape::node_of_seat(u32 seat) const {
  u32 node = 0;
  for (u32 end = size[0]; seat >= end; end += size[node]) ++node;
  return node;
}

Result<Shape> Shape::parse(const std::string& text) {
  Shape shape;
  u64 ranks = 0;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t plus = rest.find('+');
    const std::string_view term = rest.substr(0, plus);
    const std::size_t times = term.find('x');
    const u32 nodes = times == std::string_view::npos ? 1 : number(term.substr(0, times));
    const u32 each = number(times == std::string_view::npos ? term : term.substr(times + 1));
    if (!nodes || !each)
      return fail(Code::invalid_argument,
                  "shape '{}': '{}' is neither a number of ranks nor NODESxRANKS; expected "
                  "something like 4, 2x4, 1+7 or 2x4+3",
                  text, term);
    ranks += u64(nodes) * each;
    if (ranks > most_ranks)
      return fail(Code::invalid_argument, "shape '{}': more than {} ranks", text, most_ranks);
    shape.size.insert(shape.size.end(), nodes, each);
    more = plus != std::string_view::npos;
    if (more) rest.remove_prefix(plus + 1);
  }
  return shape;
}

std::string Shape::text() const {
  std::string text;
  for (std::size_t i = 0; i < size.size();) {
    std::size_t end = i;
    while (end < size.size() && size[end] == size[i]) ++end;
    if (i) text += '+';
    text += end - i > 1 ? fmt::format("{}x{}", end - i, size[i]) : fmt::format("{}", size[i]);
    i = end;
  }
  return text;
}

}  // namespace weft::schedule
