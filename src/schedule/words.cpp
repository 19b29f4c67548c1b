#include "schedule/words.hpp"

#include <cctype>
#include <charconv>
#include <istream>

namespace weft::schedule {

namespace {

constexpr std::size_t most_in_list = 1u << 24;  // a typing error must not eat the memory

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

bool Words::next_line() {
  if (!good()) return false;
  if (pending_) {
    pending_ = false;
    at_ = 0;
    return true;
  }
  while (std::getline(from_, line_)) {
    ++line_number_;
    line_.resize(std::min(line_.find('#'), line_.size()));
    at_ = 0;
    if (!peek().empty()) return true;
  }
  line_.clear();
  at_ = 0;
  return false;
}

std::string_view Words::peek() const {
  std::size_t begin = at_;
  while (begin < line_.size() && is_blank(line_[begin])) ++begin;
  if (begin == line_.size()) return {};
  std::size_t end = begin + 1;
  if (is_letter(line_[begin]))
    while (end < line_.size() && (is_letter(line_[end]) || is_digit(line_[end]))) ++end;
  else if (is_digit(line_[begin]))
    while (end < line_.size() && is_digit(line_[end])) ++end;
  else if (line_.compare(begin, 2, "..") == 0)
    end = begin + 2;
  return std::string_view(line_).substr(begin, end - begin);
}

std::string_view Words::take() {
  const std::string_view word = peek();
  if (!word.empty()) at_ = std::size_t(word.data() - line_.data()) + word.size();
  return word;
}

bool Words::skip(std::string_view word) {
  if (!good() || peek() != word) return false;
  take();
  return true;
}

void Words::expect(std::string_view word) {
  if (!skip(word)) mistake(fmt::format("expected '{}'", word));
}

u64 Words::number(u64 most) {
  u64 value = 0;
  const std::string_view word = peek();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size() || value > most) {
    mistake(most == ~u64(0) ? "expected a number"
                            : fmt::format("expected a number up to {}", most));
    return 0;
  }
  take();
  return good() ? value : 0;
}

std::vector<u32> Words::list() {
  std::vector<u32> list;
  if (skip("-")) return list;
  do {
    const u32 first = number();
    u64 last = first, step = 1, times = 1;
    if (skip("..")) {
      last = number();
      if (skip("/")) step = number();
    } else if (skip("*")) {
      times = number();
    }
    if (last < first || step == 0) mistake("expected a run FIRST..LAST[/STEP] that goes up");
    if (good() && list.size() + (last - first) / (step ? step : 1) + times > most_in_list)
      mistake(fmt::format("expected at most {} numbers", most_in_list));
    if (!good()) return {};
    for (u64 value = first; value <= last; value += step)
      list.insert(list.end(), times, u32(value));
  } while (skip(","));
  return list;
}

void Words::expect_end() {
  if (!peek().empty()) mistake("expected the end of the line");
}

void Words::mistake(std::string what) {
  if (!good()) return;
  const std::string_view word = peek();
  const std::size_t column = word.empty() ? line_.size() : std::size_t(word.data() - line_.data());
  error_ = fmt::format("line {}, column {}: {}, found {}", line_number_, column + 1, what,
                       word.empty() ? "the end of the line" : fmt::format("'{}'", word));
}

Status Words::status() const {
  if (!good()) return fail(Code::invalid_argument, "{}", error_);
  return {};
}

std::string text(const std::vector<u32>& list) {
  if (list.empty()) return "-";
  std::string text;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t same = i + 1, run = i + 1;
    while (same < list.size() && list[same] == list[i]) ++same;
    const bool rises = run < list.size() && list[run] > list[i];
    const u32 step = rises ? list[run] - list[i] : 0;
    while (rises && run < list.size() && list[run] > list[run - 1] &&
           list[run] - list[run - 1] == step)
      ++run;
    if (i) text += ',';
    if (same - i >= 2) {
      text += fmt::format("{}*{}", list[i], same - i);
      i = same;
    } else if (run - i >= 3 || (run - i == 2 && step == 1)) {
      text += fmt::format("{}..{}", list[i], list[run - 1]);
      if (step > 1) text += fmt::format("/{}", step);
      i = run;
    } else {
      text += fmt::format("{}", list[i++]);
    }
  }
  return text;
}

}  // namespace weft::schedule
