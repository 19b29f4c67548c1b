// Where ranks and bytes are put: emulated nodes, groups of processes, the memory there is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "perf/colour.hpp"
#include "perf/memory.hpp"
#include "perf/node_split.hpp"

namespace weft::perf {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t gib = std::size_t{1} << 30;

std::vector<int> split(const char* text, int ranks) {
  return node_sizes(parse_node_split(text).value(), ranks).value();
}

TEST(NodeSplit, FirstNodesAreOneLarger) {
  EXPECT_EQ(split("2", 5), (std::vector<int>{3, 2}));
  EXPECT_EQ(split("3", 8), (std::vector<int>{3, 3, 2}));
  EXPECT_EQ(split("2", 4), (std::vector<int>{2, 2}));
  EXPECT_EQ(split("1", 7), (std::vector<int>{7}));
  EXPECT_EQ(split("7", 7), (std::vector<int>(7, 1)));
}

TEST(NodeSplit, ExplicitSizesMustFit) {
  EXPECT_EQ(split("1+3", 4), (std::vector<int>{1, 3}));
  EXPECT_EQ(split("1+7", 8), (std::vector<int>{1, 7}));
  for (const char* text : {"1+3", "5"}) {
    const auto sizes = node_sizes(parse_node_split(text).value(), text[1] ? 5 : 4);
    ASSERT_FALSE(sizes) << text;
    EXPECT_EQ(sizes.error().exit, Exit::invalid_usage);
  }
  for (const char* text : {"", "0", "-1", "1+", "+1", "1+0", "1,3", "x", "2 ", "99999999999"})
    EXPECT_FALSE(parse_node_split(text)) << text;
}

TEST(NodeSplit, NamesAreEqualWithinANodeOnly) {
  EXPECT_EQ(node_names(parse_node_split("2").value(), 5).value(),
            (std::vector<std::string>{"node0", "node0", "node0", "node1", "node1"}));
  EXPECT_TRUE(node_names(NodeSplit{}, 5).value().empty());
}

TEST(Colour, RulesAreThoseOfNcclTests) {
  EXPECT_EQ(colour_of(13, nullptr, nullptr), 0);
  EXPECT_EQ(colour_of(13, "7", "MOD 2"), 5);
  EXPECT_EQ(colour_of(13, nullptr, "AND 0x7"), 5);
  EXPECT_EQ(colour_of(13, nullptr, "&0b110"), 4);
  EXPECT_EQ(colour_of(13, nullptr, "or 2"), 15);
  EXPECT_EQ(colour_of(13, nullptr, "MOD 8"), 5);
  EXPECT_EQ(colour_of(13, nullptr, "/4"), 3);
  for (const char* nonsense : {"", "MOD", "MOD 0", "/0", "XOR 1"})
    EXPECT_EQ(colour_of(13, nullptr, nonsense), 0) << nonsense;
}

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-memory-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("proc/meminfo", "MemTotal: 64 kB\nMemAvailable:    16777216 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::size_t available() const { return available_memory(root_ / "proc", root_ / "cgroup"); }
  fs::path root_;
};

TEST_F(Memory, WithoutLimitsTheMachineCounts) { EXPECT_EQ(available(), 16 * gib); }

TEST_F(Memory, TheTightestGroupAboveCounts) {
  write("proc/self/cgroup", "0::/job/task\n");
  write("cgroup/job/memory.max", "4294967296\n");
  write("cgroup/job/memory.current", "3221225472\n");
  write("cgroup/job/memory.stat", "anon 1\ninactive_file 1073741824\n");
  write("cgroup/job/task/memory.max", "max\n");
  write("cgroup/job/task/memory.current", "5\n");
  EXPECT_EQ(available(), 2 * gib);
  write("cgroup/memory.max", "1073741824\n");
  write("cgroup/memory.current", "2147483648\n");
  EXPECT_EQ(available(), 0u);
}

TEST_F(Memory, TheFirstVersionOfGroupsCountsToo) {
  write("proc/self/cgroup", "5:cpu:/a\n4:memory:/docker/x\n0::/\n");
  write("cgroup/memory/memory.limit_in_bytes", "3221225472\n");
  write("cgroup/memory/memory.usage_in_bytes", "1073741824\n");
  EXPECT_EQ(available(), 2 * gib);
}

TEST_F(Memory, RanksShareWhatIsLeftAfterTheReserve) {
  EXPECT_EQ(largest_message(128 * gib, 1), (128 - 5) * gib / 2);
  EXPECT_EQ(largest_message(16 * gib, 7), 14 * gib / 14);
  EXPECT_EQ(largest_message(4 * gib, 3), 3 * gib / 6);
  EXPECT_EQ(largest_message(0, 4), 0u);
}

TEST_F(Memory, ThisMachineHasSome) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_GT(resident_memory(), 0u);
}

}  // namespace
}  // namespace weft::perf
