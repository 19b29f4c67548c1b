// More than 2^31 elements in a call, and more than 2^31 bytes in a block: no counter wraps.
#include <algorithm>
#include <functional>
#include <memory>

#include "perf/memory.hpp"
#include "tests/ranks/api/ranks.hpp"
#include "tests/ranks/huge/periodic.hpp"

namespace weft::testing {
namespace {

constexpr std::size_t huge = (std::size_t{1} << 31) + 7;
constexpr std::size_t needed = std::size_t{8} << 30;  // half of it is used

// Output of real memory, so that nothing but the call can have written a byte of it.
class Output {
 public:
  explicit Output(std::size_t bytes) : bytes_(bytes), start_(new std::uint8_t[bytes]) {}
  std::uint8_t* data() { return start_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t[]> start_;
};

class Huge : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (perf::available_memory() < needed)
      GTEST_SKIP() << "less than 8 GiB of memory are available";
    ASSERT_NE(input_.data(), nullptr);
  }
  void run(const std::function<void(int, weft_comm_t)>& body) {
    run_ranks(2, {.nodes = nodes(GetParam())}, body);
  }
  const void* input() const { return input_.data(); }

 private:
  Periodic input_{huge};
};

TEST_P(Huge, AllReduce) {
  run([&](int rank, weft_comm_t comm) {
    Output output(huge);
    ASSERT_EQ(weft_all_reduce(input(), output.data(), huge, weft_uint8, weft_sum, comm, nullptr),
              weft_ok)
        << weft_last_error();
    const auto twice = [](std::size_t i) { return std::uint8_t(2 * Periodic::byte(i)); };
    EXPECT_EQ(first_wrong(output.data(), huge, twice), huge) << "rank " << rank;
  });
}

TEST_P(Huge, Broadcast) {
  run([&](int rank, weft_comm_t comm) {
    Output output(rank == 0 ? huge : 0);
    void* const to = rank == 0 ? output.data() : const_cast<void*>(input());
    ASSERT_EQ(weft_broadcast(input(), to, huge, weft_uint8, 1, comm, nullptr), weft_ok)
        << weft_last_error();
    EXPECT_EQ(first_wrong(output.data(), output.bytes(), Periodic::byte), output.bytes());
  });
}

// A block of more than 2^31 elements from rank 1 alone.
TEST_P(Huge, UnevenGather) {
  constexpr std::size_t counts[] = {3, huge};
  run([&](int rank, weft_comm_t comm) {
    Output output(rank == 0 ? huge + 3 : 0);
    ASSERT_EQ(weft_gatherv(input(), counts[rank], output.data(), counts, nullptr, weft_uint8, 0,
                           comm, nullptr),
              weft_ok)
        << weft_last_error();
    if (rank) return;
    EXPECT_EQ(first_wrong(output.data(), 3, Periodic::byte), 3u);
    EXPECT_EQ(first_wrong(output.data() + 3, huge, Periodic::byte), huge);
  });
}

INSTANTIATE_TEST_SUITE_P(Places, Huge, ::testing::Values("aa", "ab"), [](const auto& each) {
  return std::string(each.param) == "aa" ? "OneNode" : "TwoNodes";
});

}  // namespace
}  // namespace weft::testing
