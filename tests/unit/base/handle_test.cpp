// One owner: moving hands over, the last owner closes, and nothing is closed twice.
#include "base/handle.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>

namespace weft {
namespace {

using ::testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<Fd> && !std::is_copy_assignable_v<Fd>);
static_assert(std::is_nothrow_move_constructible_v<Fd> && std::is_nothrow_move_assignable_v<Fd>);
static_assert(!std::is_copy_constructible_v<Mapping> && !std::is_copy_assignable_v<Mapping>);
static_assert(std::is_nothrow_move_constructible_v<Mapping>);

constexpr std::size_t page = 4096;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
Fd memory_file(std::size_t bytes) {
  Fd fd(::memfd_create("weft-test", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  return fd;
}

TEST(fd, an_empty_one_owns_nothing) {
  Fd fd;
  EXPECT_FALSE(fd);
  EXPECT_EQ(fd.get(), -1);
  EXPECT_EQ(fd.release(), -1);
}

TEST(fd, closes_what_it_owns) {
  int number = -1;
  {
    const Fd fd = memory_file(1);
    number = fd.get();
    EXPECT_TRUE(fd);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(fd, moving_hands_over) {
  Fd first = memory_file(1);
  const int number = first.get();
  Fd second(std::move(first));
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): its state is what is tested
  Fd third;
  third = std::move(second);
  EXPECT_EQ(third.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(fd, assigning_a_new_one_closes_the_old_one) {
  Fd fd = memory_file(1);
  const int old = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 700);  // a number that nothing reuses
  ASSERT_GE(old, 700);
  fd = Fd(old);
  fd = memory_file(1);
  EXPECT_FALSE(is_open(old));
  EXPECT_TRUE(is_open(fd.get()));
}

TEST(fd, a_released_one_stays_open) {
  int number = -1;
  {
    Fd fd = memory_file(1);
    number = fd.release();
    EXPECT_FALSE(fd);
  }
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(mapping, anonymous_memory_is_zero_and_writable) {
  Mapping memory = Mapping::anonymous(3 * page).value();
  ASSERT_EQ(memory.bytes().size(), 3 * page);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte b) { return b == std::byte{0}; }));
  std::ranges::fill(memory.bytes(), std::byte{7});
  EXPECT_EQ(memory.bytes().back(), std::byte{7});
}

TEST(mapping, two_of_one_file_are_one_memory) {
  const Fd file = memory_file(page);
  const Mapping one = Mapping::of_file(file.get(), page).value();
  const Mapping other = Mapping::of_file(file.get(), page).value();
  ASSERT_NE(one.bytes().data(), other.bytes().data());
  one.bytes()[page - 1] = std::byte{42};
  EXPECT_EQ(other.bytes()[page - 1], std::byte{42});
}

TEST(mapping, moving_hands_over_and_the_memory_stays) {
  Mapping first = Mapping::anonymous(page).value();
  std::byte* const at = first.bytes().data();
  Mapping second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): its state is what is tested
  EXPECT_EQ(second.bytes().data(), at);
  second.bytes()[0] = std::byte{1};
  Mapping third;
  third = std::move(second);
  EXPECT_EQ(third.bytes()[0], std::byte{1});
}

TEST(mapping, is_unmapped_by_its_owner) {
  std::byte* at = nullptr;
  {
    const Mapping memory = Mapping::anonymous(page).value();
    at = memory.bytes().data();
    EXPECT_EQ(::msync(at, page, MS_ASYNC), 0);
  }
  EXPECT_EQ(::msync(at, page, MS_ASYNC), -1) << "msync finds no mapping there";
}

TEST(mapping, errors_say_what_was_tried) {
  const auto nothing = Mapping::anonymous(0);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Code::system_error);
  EXPECT_THAT(nothing.error().text, HasSubstr("mapping 0 bytes"));
  EXPECT_FALSE(Mapping::of_file(-1, page));
}

}  // namespace
}  // namespace weft
