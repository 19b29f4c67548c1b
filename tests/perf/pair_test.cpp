// What the reference back-ends stand on: their loops, at any address and length, and memory mapped
// by the file behind it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "perf/peers/pair/kernels.hpp"
#include "perf/peers/pair/mapped.hpp"

namespace weft::perf::pair {
namespace {

constexpr Store stores[] = {Store::cached, Store::streaming};
constexpr float untouched = -1;

// Room for `count` floats that start `shift` floats past a line, with something before and after.
class Floats {
 public:
  Floats(std::size_t count, std::size_t shift) : all_(count + shift + 2 * line, untouched) {
    auto at = reinterpret_cast<std::uintptr_t>(all_.data());
    begin_ = (line * sizeof(float) - at % (line * sizeof(float))) / sizeof(float) + shift;
    count_ = count;
  }
  float* begin() { return all_.data() + begin_; }
  void fill(float first) {
    for (std::size_t i = 0; i < count_; ++i) begin()[i] = first + static_cast<float>(i);
  }
  bool is_whole_around() const {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if ((i < begin_ || i >= begin_ + count_) && all_[i] != untouched) return false;
    return true;
  }

 private:
  static constexpr std::size_t line = 16;
  std::vector<float> all_;
  std::size_t begin_ = 0, count_ = 0;
};

TEST(Kernels, AreRightAtEveryAlignmentAndLength) {
  for (const std::size_t count : {0, 1, 2, 7, 15, 16, 17, 63, 64, 65, 130, 1000})
    for (std::size_t shift = 0; shift < 16; shift += 3)
      for (Store store : stores)
        for (Store other : stores) {
          Floats a(count, shift), b(count, 1), to(count, shift), also(count, shift),
              odd(count, shift + 1), copied(count, shift);
          a.fill(1);
          b.fill(1000);
          add(to.begin(), a.begin(), b.begin(), count, store);
          add({also.begin(), store}, {odd.begin(), other}, a.begin(), b.begin(), count);
          copy(copied.begin(), to.begin(), count, store);
          for (std::size_t i = 0; i < count; ++i) {
            const float sum = 1001 + 2 * static_cast<float>(i);
            ASSERT_EQ(to.begin()[i], sum) << count << " " << shift << " " << i;
            ASSERT_EQ(also.begin()[i], sum) << count << " " << shift << " " << i;
            ASSERT_EQ(odd.begin()[i], sum) << count << " " << shift << " " << i;
            ASSERT_EQ(copied.begin()[i], sum) << count << " " << shift << " " << i;
          }
          for (const Floats* floats : {&to, &also, &odd, &copied})
            ASSERT_TRUE(floats->is_whole_around()) << count << " " << shift;
        }
}

TEST(Kernels, TwoTargetsOfOneAlignmentAreRight) {
  for (Store store : stores)
    for (Store other : stores) {
      constexpr std::size_t count = 333;
      Floats a(count, 0), b(count, 0), first(count, 5), second(count, 5);
      a.fill(3);
      b.fill(4);
      add({first.begin(), store}, {second.begin(), other}, a.begin(), b.begin(), count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(first.begin()[i], 7 + 2 * static_cast<float>(i));
        ASSERT_EQ(second.begin()[i], first.begin()[i]);
      }
      EXPECT_TRUE(first.is_whole_around() && second.is_whole_around());
    }
}

class Mapping : public testing::Test {
 protected:
  void SetUp() override {
    file_ = memfd_create("weft-test", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file_, 4 * page), 0);
    memory_ = static_cast<char*>(
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file_, page));
    ASSERT_NE(memory_, MAP_FAILED);
  }
  void TearDown() override {
    munmap(memory_, 3 * page);
    if (file_ >= 0) close(file_);
  }
  static constexpr std::size_t page = 4096;
  int file_ = -1;
  char* memory_ = nullptr;
};

TEST_F(Mapping, TheSamePagesAreSeenThroughAnother) {
  const Origin origin = origin_of(memory_ + 100);
  EXPECT_EQ(origin.process, getpid());
  EXPECT_EQ(origin.offset, page + 100);
  const Mapped mapped(origin, page);
  ASSERT_NE(reinterpret_cast<char*>(mapped.begin()), memory_ + 100);
  memory_[100] = 'w';
  memory_[100 + page - 1] = 'e';
  EXPECT_EQ(static_cast<char>(mapped.begin()[0]), 'w');
  EXPECT_EQ(static_cast<char>(mapped.begin()[page - 1]), 'e');
  mapped.begin()[1] = std::byte{'f'};
  EXPECT_EQ(memory_[101], 'f');
}

TEST_F(Mapping, PrivateMemoryHasNoFile) {
  std::vector<char> own(page);
  EXPECT_EQ(origin_of(own.data()).file, -1);
  EXPECT_EQ(origin_of(nullptr).file, -1);
  // Nor has memory whose file nobody holds any more.
  close(file_);
  file_ = -1;
  EXPECT_EQ(origin_of(memory_).file, -1);
}

TEST_F(Mapping, AnotherFileUnderTheSameNumberIsRefused) {
  Origin origin = origin_of(memory_);
  ++origin.inode;
  EXPECT_THROW(Mapped(origin, page), std::runtime_error);
  origin.process = 0x7fffffff;
  EXPECT_THROW(Mapped(origin, page), std::runtime_error);
}

}  // namespace
}  // namespace weft::perf::pair
