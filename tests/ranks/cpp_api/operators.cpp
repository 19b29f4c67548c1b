// Operators of the program's own, on typed elements and on bytes.
#include <cmath>
#include <cstring>

#include "tests/ranks/cpp_api/ranks.hpp"

namespace weft::testing {

struct Matrix {  // two by two, of integers modulo 2^32
  std::uint32_t a, b, c, d;
  friend bool operator==(const Matrix&, const Matrix&) = default;
};
static Matrix product(const Matrix& x, const Matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
          x.c * y.b + x.d * y.d};
}
static Matrix matrix_of(std::uint32_t rank) { return {rank + 1, 1, 0, rank + 2}; }

namespace {

class Operators : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Nodes, Operators, ::testing::Values("a", "ab", "aab", "aabbb"));

TEST_P(Operators, CombineTypedElements) {
  run_ranks(GetParam(), {}, [](Communicator& comm) {
    const auto larger_magnitude = comm.make_operator<float>(
        [](float x, float y) { return std::abs(x) < std::abs(y) ? y : x; });
    const float sign = comm.rank().value % 2 == 0 ? 1.0f : -1.0f;
    std::vector<float> values(700, sign * float(comm.rank().value + 1));
    comm.all_reduce(values, larger_magnitude);
    const float last = comm.ranks() % 2 == 1 ? 1.0f : -1.0f;
    EXPECT_EQ(values, std::vector<float>(700, last * float(comm.ranks())));
  });
}

TEST_P(Operators, OnBytesKeepTheOrderOfRanksIfTheyDoNotCommute) {
  run_ranks(GetParam(), {}, [](Communicator& comm) {
    // One matrix in each 16 bytes; a type of that size, so that it is never cut.
    const auto multiply = comm.make_operator<std::byte>(
        [](std::span<const std::byte> left, std::span<const std::byte> right,
           std::span<std::byte> result, DataType type) {
          if (type != DataType::float64_int32) std::abort();
          for (std::size_t at = 0; at < result.size(); at += sizeof(Matrix)) {
            Matrix x, y;
            std::memcpy(&x, left.data() + at, sizeof x);
            std::memcpy(&y, right.data() + at, sizeof y);
            const Matrix made = product(x, y);
            std::memcpy(result.data() + at, &made, sizeof made);
          }
        },
        Commutes::no);
    std::vector<Matrix> values(50, matrix_of(std::uint32_t(comm.rank().value)));
    comm.all_reduce(typed(std::as_writable_bytes(std::span(values)), DataType::float64_int32),
                    multiply);
    Matrix wanted = matrix_of(0);
    for (std::uint32_t rank = 1; rank < comm.ranks(); ++rank)
      wanted = product(wanted, matrix_of(rank));
    EXPECT_EQ(values, std::vector<Matrix>(50, wanted));
  });
}

TEST_P(Operators, MultiplyBeforeTheyAdd) {
  run_ranks(GetParam(), {}, [](Communicator& comm) {
    const auto weighted = comm.make_premul_sum(double(comm.rank().value));
    std::vector<double> values(5, 2.0);
    comm.all_reduce(values, weighted);
    const auto ranks = double(comm.ranks());
    EXPECT_EQ(values, std::vector<double>(5, ranks * (ranks - 1)));
  });
}

TEST(Operator, LivesAsLongAsACallNeedsIt) {
  for (const Progress progress : {Progress::caller, Progress::thread})
    run_ranks("ab", {.progress = progress}, [](Communicator& comm) {
      std::vector<int> values(1000, comm.rank().value + 1), planned = values;
      Request request;
      Operation operation;
      {
        // The callable holds memory, so that a sanitizer sees a use after it is gone.
        const auto gone = comm.make_operator<int>(
            [factor = std::make_shared<int>(1)](int x, int y) { return x * y * *factor; });
        request = comm.all_reduce_start(values, gone);
        operation = comm.all_reduce_init(planned, gone);
      }
      request.wait();
      operation.start().wait();
      EXPECT_EQ(values, std::vector<int>(1000, 2));
      EXPECT_EQ(planned, std::vector<int>(1000, 2));
    });
}

template <class Elements, class Reducer>
constexpr bool reduces_by = requires(Communicator comm, Elements elements, Reducer reducer) {
  comm.all_reduce(elements, reducer);
};

TEST(Operator, OfOneTypeIsForThatTypeAlone) {
  using Ints = std::vector<int>;
  static_assert(reduces_by<Ints, Operator<int>> && reduces_by<Ints, Op>);
  static_assert(!reduces_by<Ints, Operator<float>>);
  EXPECT_EQ(code_of([] {
              static_cast<void>(Communicator().make_operator<int>([](int x, int) { return x; }));
            }),
            Code::invalid_argument);
}

}  // namespace
}  // namespace weft::testing
