// Reads lines of words: the lexer under the text forms of schedules and traces.
//
// Words are names, whole numbers and signs (".." is one); blanks only separate, '#' starts a
// comment, empty lines do not count. The first mistake is kept, with line and column, and all later
// reads give zeros, so that a parser reads straight on and asks once a line. Threads: one.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::schedule {

class Words {
 public:
  explicit Words(std::istream& from) : from_(from) {}

  // Reads the next line that has words; false at the end or after a mistake.
  bool next_line();
  // Puts the current line back, for whoever reads on.
  void put_back() { pending_ = true; }

  std::string_view peek() const;  // empty at the end of the line
  std::string_view take();
  bool skip(std::string_view word);    // takes it if it is next
  void expect(std::string_view word);  // takes it, or fails
  u64 number(u64 most);
  u32 number() { return u32(number(~0u)); }
  // "0..7,9,3*4,0..6/2": runs, repeats and steps; "-" is the empty list.
  std::vector<u32> list();
  void expect_end();

  // Keeps the first mistake; `what` says what was expected.
  void mistake(std::string what);
  bool good() const { return error_.empty(); }
  Status status() const;

 private:
  std::istream& from_;
  std::string line_, error_;
  u32 line_number_ = 0;
  std::size_t at_ = 0;  // the next word begins here
  bool pending_ = false;
};

// The list in the form that Words::list reads.
std::string text(const std::vector<u32>& list);

}  // namespace weft::schedule
