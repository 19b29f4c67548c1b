// What is a buffer, what is not, and which sizes fit.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <numeric>

#include "tests/ranks/cpp_api/ranks.hpp"

namespace weft::testing {
struct Half {  // a user's own, as bits of IEEE binary16
  std::uint16_t bits;
};
}  // namespace weft::testing

template <>
struct weft::ElementType<weft::testing::Half> {
  static constexpr weft::DataType value = weft::DataType::float16;
};

namespace weft::testing {
namespace {

template <class In, class Out>
constexpr bool reduces_into = requires(Communicator comm, In&& in, Out&& out) {
  comm.all_reduce(std::forward<In>(in), std::forward<Out>(out));
};
using Floats = std::vector<float>;
static_assert(reduces_into<const Floats&, Floats&>);
static_assert(reduces_into<const Floats&, std::span<float>>);
static_assert(reduces_into<std::span<const float>, std::array<float, 4>&>);
static_assert(reduces_into<const float (&)[4], float (&)[4]>);
static_assert(!reduces_into<const Floats&, const Floats&>, "an output is written");
static_assert(!reduces_into<const Floats&, Floats>, "a temporary would be gone");
static_assert(!reduces_into<Floats, Floats&>, "a temporary would be gone");
static_assert(!reduces_into<const Floats&, std::vector<double>&>, "types differ");
static_assert(!reduces_into<const std::vector<bool>&, std::vector<bool>&>, "bits are no elements");
static_assert(!reduces_into<std::vector<std::string>&, std::vector<std::string>&>);
static_assert(!reduces_into<TypedBytes<std::byte>, TypedBytes<const std::byte>>);
static_assert(!reduces_into<std::span<const std::byte>, std::span<std::byte>>, "which type?");

static_assert(ElementType<long>::value == DataType::int64);
static_assert(ElementType<long long>::value == DataType::int64);
static_assert(ElementType<unsigned>::value == DataType::uint32);
static_assert(ElementType<signed char>::value == DataType::int8);
static_assert(ElementType<bool>::value == DataType::boolean);
static_assert(!Element<wchar_t> && !Element<std::byte> && !Element<const char*>);

TEST(Types, HaveTheSizeThatTheLibraryGivesThem) {
  EXPECT_EQ(bytes_of(DataType::bfloat16), 2u);
  EXPECT_EQ(bytes_of(ElementType<ValueIndex<float>>::value), sizeof(ValueIndex<float>));
  EXPECT_EQ(bytes_of(ElementType<ValueIndex<double>>::value), sizeof(ValueIndex<double>));
  EXPECT_EQ(bytes_of(ElementType<ValueIndex<std::int16_t>>::value),
            sizeof(ValueIndex<std::int16_t>));
  EXPECT_EQ(bytes_of(ElementType<ValueIndex<std::int64_t>>::value),
            sizeof(ValueIndex<std::int64_t>));
  EXPECT_TRUE(reduces(DataType::int32, Op::bxor));
  EXPECT_FALSE(reduces(DataType::float32, Op::bxor));
}

TEST(Buffers, OfEveryKindCarryTheirType) {
  run_ranks("aab", {}, [](Communicator& comm) {
    const int own = comm.rank().value;
    float c_array[2] = {1, 2};
    comm.all_reduce(c_array);
    EXPECT_EQ(c_array[1], 6);
    std::array<ValueIndex<double>, 1> least{{{10.0 - own, own}}};
    comm.all_reduce(least, Op::minloc);
    EXPECT_EQ(least[0], (ValueIndex<double>{8, 2}));
    bool any[3] = {own == 0, own == 5, true};
    comm.all_reduce(any, Op::lor);
    EXPECT_TRUE(any[0] && !any[1] && any[2]);
    std::vector<Half> halves(3, {0x3c00});  // 1.0
    comm.all_reduce(halves);
    EXPECT_EQ(halves[2].bits, 0x4200);  // 3.0
    const std::string letter(1, char('A' + own));
    std::string letters(3, '?');
    comm.all_gather(letter, letters);
    EXPECT_EQ(letters, "ABC");
  });
}

TEST(Buffers, OfBytesAreReadAsTheTypeSays) {
  run_ranks("ab", {}, [](Communicator& comm) {
    std::vector<double> values(6, 1.5), scattered(3);
    const auto bytes = std::as_writable_bytes(std::span(values));
    comm.all_reduce(typed(bytes, DataType::float64));
    EXPECT_EQ(values, std::vector<double>(6, 3.0));
    comm.reduce_scatter(typed(std::as_bytes(std::span(values)), DataType::float64),
                        typed(std::as_writable_bytes(std::span(scattered)), DataType::float64));
    EXPECT_EQ(scattered, std::vector<double>(3, 6.0));
    std::ranges::fill(comm.block(values), comm.rank().value);
    comm.all_gather(typed(bytes, DataType::float64));
    EXPECT_EQ(values, (std::vector<double>{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(code_of([&] { comm.all_reduce(typed(bytes.first(7), DataType::float32)); }),
              Code::invalid_argument);
    EXPECT_EQ(code_of([&] {
                comm.all_reduce(typed(bytes, DataType::float64), typed(bytes, DataType::int64));
              }),
              Code::invalid_argument);
    EXPECT_EQ(code_of([&] { comm.all_reduce(typed(bytes, DataType(77))); }),
              Code::invalid_argument);
  });
}

TEST(Sizes, ThatDoNotFitStartNothing) {
  run_ranks("aab", {}, [](Communicator& comm) {
    std::vector<int> three(3), four(4), twelve(12);
    const auto refused = [](auto call) { EXPECT_EQ(code_of(call), Code::invalid_argument); };
    refused([&] { comm.all_reduce(three, four); });
    refused([&] { comm.reduce_scatter(three, four); });
    refused([&] { comm.reduce_scatter(twelve, three); });
    refused([&] { comm.reduce_scatter(four); });
    refused([&] { comm.all_gather(four, three); });
    refused([&] { comm.all_gather(three, twelve); });
    refused([&] { comm.all_gather(four); });
    refused([&] { comm.broadcast(three, four, Rank{0}); });
    refused([&] { comm.broadcast(three, Rank{3}); });
    refused([&] { static_cast<void>(comm.all_reduce_start(three, four)); });
    refused([&] { static_cast<void>(comm.reduce_scatter_init(three, four)); });
    refused([&] { static_cast<void>(comm.reduce_scatter_async(four)); });
    refused([&] { comm.block(four); });
    refused([&] { comm.block(three, Rank{3}); });
    refused([&] { comm.block(three, Rank{-1}); });
    refused([&] { comm.all_reduce(three, Op(99)); });
    std::vector<float> floats(1);
    refused([&] { comm.all_reduce(floats, Op::bxor); });
    comm.barrier();  // all that was no call
    EXPECT_EQ(comm.state(), Code::ok);
    comm.all_gather(four, twelve);
    try {
      comm.all_gather(three, twelve);
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "the input has 3 elements and the output 12: the output must have 3 times as "
                   "many, a block for each rank");
    }
  });
}

TEST(Memory, FromTheLibraryIsABufferLikeAnyOther) {
  run_ranks("aa", {}, [](Communicator& comm) {
    Memory memory = Memory::allocate(4 * sizeof(float));
    const auto values = memory.as<float>();
    ASSERT_EQ(values.size(), 4u);
    EXPECT_EQ(values[3], 0);
    const Registration registration = comm.register_memory(memory.bytes());
    EXPECT_TRUE(registration);
    std::iota(values.begin(), values.end(), 1.0f);
    comm.all_reduce(values);
    EXPECT_EQ(values[3], 8);
    Memory moved = std::move(memory);
    EXPECT_EQ(moved.as<float>().data(), values.data());
    EXPECT_TRUE(memory.bytes().empty());  // NOLINT: what a moved-from one is
  });
  const int file = ::memfd_create("weft test", 0);
  ASSERT_EQ(::ftruncate(file, 4096), 0);
  const Memory first = Memory::adopt(file, 0, 4096), second = Memory::adopt(file, 0, 4096);
  ::close(file);
  first.as<int>()[5] = 7;
  EXPECT_EQ(second.as<int>()[5], 7);
  EXPECT_EQ(code_of([] { static_cast<void>(Memory::adopt(-1, 0, 4096)); }), Code::system_error);
}

}  // namespace
}  // namespace weft::testing
