// The same bits whatever the path: one reference for every split into nodes, algorithm, slicing,
// number of frames and rails for which the communicator says `canonical`.
#include <cmath>

#include "algorithms/table.hpp"
#include "tests/ranks/api/ranks.hpp"
#include "tests/ranks/bits/reference.hpp"
#include "tests/sanitizer.hpp"

namespace weft::testing {
namespace {

constexpr int every = under_sanitizer ? 7 : 1;

constexpr std::size_t counts[] = {1, 7, 64, 1000, 5003};

std::size_t bytes_of(bool narrow) { return narrow ? 2 : 4; }

std::vector<std::byte> encode(const Vector& values, bool narrow) {
  std::vector<std::byte> bytes(values.size() * bytes_of(narrow));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* from = reinterpret_cast<const std::byte*>(&values[i]);
    if (narrow)
      std::memcpy(&bytes[2 * i], from + 2, 2);
    else
      std::memcpy(&bytes[4 * i], from, 4);
  }
  return bytes;
}

// A data set and what it must sum to.
struct Case {
  std::size_t count;
  bool narrow;
  std::vector<Vector> inputs;
  std::vector<std::byte> canonical, shaped;

  Case(const std::string& nodes, std::size_t n, bool is_narrow)
      : count(n), narrow(is_narrow), inputs(cancelling(nodes.size(), n * nodes.size(), narrow, n)) {
    std::vector<int> all;
    for (std::size_t r = 0; r < nodes.size(); ++r) all.push_back(int(r));
    Vector by_rank, by_shape;
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
      by_rank.push_back(tree(inputs, all, 0, all.size(), i, narrow));
      by_shape.push_back(tree_of_shape(inputs, nodes, i, narrow));
    }
    canonical = encode(by_rank, narrow);
    shaped = encode(by_shape, narrow);
  }
};

std::vector<Case> cases_of(const std::string& nodes) {
  std::vector<Case> cases;
  for (const std::size_t count : counts)
    for (const bool narrow : {false, true}) cases.emplace_back(nodes, count, narrow);
  return cases;
}

std::string order_of(weft_comm_t comm) {
  weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
  EXPECT_EQ(weft_comm_info(comm, &info), weft_ok);
  return info.order;
}

// One rank's part: all-reduce of the whole, reduce-scatter of the same vector.
void check(int rank, weft_comm_t comm, const Case& c, const std::string& what) {
  const auto type = c.narrow ? weft_bfloat16 : weft_float32;
  const auto in = encode(c.inputs[std::size_t(rank)], c.narrow);
  const std::string order = order_of(comm);
  ASSERT_NE(order, "fast") << what;
  const auto& want = order == "canonical" ? c.canonical : c.shaped;
  std::vector<std::byte> out(in.size());
  ASSERT_EQ(
      weft_all_reduce(in.data(), out.data(), c.inputs[0].size(), type, weft_sum, comm, nullptr),
      weft_ok)
      << weft_last_error();
  ASSERT_TRUE(out == want) << what << ": all_reduce of " << c.inputs[0].size() << ", order "
                           << order;
  std::vector<std::byte> block(c.count * bytes_of(c.narrow));
  ASSERT_EQ(weft_reduce_scatter(in.data(), block.data(), c.count, type, weft_sum, comm, nullptr),
            weft_ok)
      << weft_last_error();
  ASSERT_TRUE(std::equal(block.begin(), block.end(), want.begin() + long(block.size()) * rank))
      << what << ": reduce_scatter of " << c.count << ", order " << order;
}

// Settings that must not be seen in the result.
struct Setting {
  const char* name;
  const char* value;
};
class Environment {
 public:
  explicit Environment(std::vector<Setting> settings) : settings_(std::move(settings)) {
    for (const Setting& s : settings_) ::setenv(s.name, s.value, 1);
  }
  ~Environment() {
    for (const Setting& s : settings_) ::unsetenv(s.name);
  }
  std::string text() const {
    std::string text;
    for (const Setting& s : settings_) text += std::string(" ") + s.name + "=" + s.value;
    return text;
  }

 private:
  std::vector<Setting> settings_;
};

void run_all(const std::string& letters, const RankOptions& options, const std::vector<Case>& cases,
             const std::string& what) {
  run_ranks(int(letters.size()), options, [&](int rank, weft_comm_t comm) {
    for (const Case& c : cases) check(rank, comm, c, what);
  });
}

class Bits : public ::testing::TestWithParam<const char*> {};

TEST_P(Bits, DoNotDependOnSlicesFramesOrRails) {
  const std::string letters = GetParam();
  const auto cases = cases_of(letters);
  int number = 0;
  for (const char* slice : {"0", "1K", "16K"})
    for (const char* frames : {"1", "3"})
      for (const char* rails : {"1", "2", "3"}) {
        if (number++ % every) continue;
        const Environment environment(
            {{"WEFT_SLICE_BYTES", slice}, {"WEFT_FRAMES", frames}, {"WEFT_RAILS", rails}});
        run_all(letters, {.nodes = nodes(letters.c_str())}, cases, letters + environment.text());
        if (HasFatalFailure()) return;
      }
}

TEST_P(Bits, DoNotDependOnTheAlgorithm) {
  const std::string letters = GetParam();
  const auto cases = cases_of(letters);
  const Environment environment({{"WEFT_SLICE_BYTES", "4K"}, {"WEFT_RAILS", "2"}});
  int number = 0;
  schedule::Shape shape{.rails = 2};
  for (std::size_t r = 0; r < letters.size(); ++r)
    if (r && letters[r] == letters[r - 1])
      ++shape.size.back();
    else
      shape.size.push_back(1);
  for (const auto kind : {schedule::Kind::all_reduce, schedule::Kind::reduce_scatter})
    for (const std::string& name : algorithms::names(kind, shape)) {
      if (algorithms::order_of(name, kind, shape) != schedule::Order::canonical) continue;
      if (number++ % every) continue;
      run_all(letters, {.nodes = nodes(letters.c_str()), .algorithm = name, .order = "canonical"},
              cases, letters + " " + name);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Bits,
                         ::testing::Values("aaaa", "aabb", "abcd", "aabbc", "aaaab", "abcde",
                                           "aaaabbbb", "aabbccdd", "aaaabbbbccc",
                                           "aaaaaaaabbbbbbbb"));

// A shape whose hierarchical schedules have another tree, and ranks dealt out in turn.
class Uneven : public ::testing::TestWithParam<const char*> {};

TEST_P(Uneven, IsOfTheShapeByDefaultAndCanonicalOnRequest) {
  const std::string letters = GetParam();
  const auto cases = cases_of(letters);
  bool differ = false;
  for (const Case& c : cases) differ |= c.canonical != c.shaped;
  ASSERT_TRUE(differ);  // or the test could not tell
  for (const char* order : {"auto", "shape", "canonical"}) {
    run_ranks(int(letters.size()), {.nodes = nodes(letters.c_str()), .order = order},
              [&](int rank, weft_comm_t comm) {
                EXPECT_EQ(order_of(comm), std::string(order) == "auto" ? "shape" : order);
                for (const Case& c : cases) check(rank, comm, c, letters + " " + order);
              });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, Uneven, ::testing::Values("aaabb", "abab", "abbbbbb", "aaabbbccc"));

}  // namespace
}  // namespace weft::testing
