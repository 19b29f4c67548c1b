// Memory of the library: allocated, adopted, registered, freed; and mistakes with it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/ranks/api/ranks.hpp"

namespace weft::testing {
namespace {

TEST(Memory, AllocatedIsZeroedAlignedAndShared) {
  void* memory = nullptr;
  ASSERT_EQ(weft_mem_alloc(&memory, 100003), weft_ok) << weft_last_error();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % std::uintptr_t(::sysconf(_SC_PAGESIZE)), 0u);
  const auto* bytes = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < 100003; ++i) ASSERT_EQ(bytes[i], 0);
  EXPECT_EQ(weft_mem_free(static_cast<char*>(memory) + 1), weft_invalid_argument);
  EXPECT_EQ(weft_mem_free(memory), weft_ok);
  EXPECT_EQ(weft_mem_free(memory), weft_invalid_argument);
  EXPECT_EQ(weft_mem_free(nullptr), weft_ok);
  EXPECT_EQ(weft_mem_alloc(&memory, 0), weft_invalid_argument);
  EXPECT_EQ(weft_mem_alloc(&memory, std::size_t(1) << 60), weft_invalid_argument);
  EXPECT_EQ(memory, nullptr);
}

TEST(Memory, AdoptedIsThatOfTheFile) {
  const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
  const int fd = ::memfd_create("test", 0);
  ASSERT_EQ(::ftruncate(fd, long(3 * page)), 0);
  ASSERT_EQ(::pwrite(fd, "thread", 6, long(page)), 6);
  void* memory = nullptr;
  EXPECT_EQ(weft_mem_adopt(&memory, fd, 1, page), weft_invalid_argument);
  EXPECT_EQ(weft_mem_adopt(&memory, fd, page, 3 * page), weft_invalid_argument);
  EXPECT_EQ(weft_mem_adopt(&memory, -1, 0, page), weft_system_error);
  ASSERT_EQ(weft_mem_adopt(&memory, fd, page, 2 * page), weft_ok) << weft_last_error();
  EXPECT_EQ(std::memcmp(memory, "thread", 6), 0);
  std::memcpy(memory, "fabric", 6);
  ::close(fd);
  EXPECT_EQ(std::memcmp(memory, "fabric", 6), 0);
  EXPECT_EQ(weft_mem_free(memory), weft_ok);
}

TEST(Memory, IsUsedInCallsAsAnyOther) {
  for (const char* letters : {"aaa", "aab"})
    run_ranks(3, {.nodes = nodes(letters)}, [&](int rank, weft_comm_t comm) {
      void* memory = nullptr;
      constexpr std::size_t count = 300007;
      ASSERT_EQ(weft_mem_alloc(&memory, count * sizeof(float)), weft_ok);
      weft_memory_t registration = nullptr;
      ASSERT_EQ(weft_mem_register(comm, memory, count * sizeof(float), &registration), weft_ok);
      auto* values = static_cast<float*>(memory);
      for (std::size_t i = 0; i < count; ++i) values[i] = float(rank + int(i % 5));
      ASSERT_EQ(weft_all_reduce(values, values, count, weft_float32, weft_sum, comm, nullptr),
                weft_ok);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], float(3 + 3 * int(i % 5)));
      EXPECT_EQ(weft_mem_deregister(comm, registration), weft_ok);
      EXPECT_EQ(weft_mem_deregister(comm, nullptr), weft_invalid_argument);
      EXPECT_EQ(weft_mem_free(memory), weft_ok);
    });
}

// More elements than 32 bits count, over little memory: a large range that maps one file again and
// again. Equal pages hold equal values on both sides, so every byte can be checked.
class Tiled {
 public:
  Tiled(std::size_t bytes, std::size_t tile) : bytes_(bytes) {
    const int fd = ::memfd_create("tile", 0);
    EXPECT_EQ(::ftruncate(fd, long(tile)), 0);
    base_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t at = 0; at < bytes; at += tile)
      EXPECT_NE(::mmap(base_ + at, tile, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
                MAP_FAILED);
    ::close(fd);
  }
  ~Tiled() { ::munmap(base_, bytes_); }
  std::byte* data() const { return base_; }

 private:
  std::size_t bytes_;
  std::byte* base_;
};

TEST(Counts, Above32BitsAreCounted) {
  constexpr std::size_t tile = std::size_t(1) << 24, tiles = 130, count = (tile * 129) + 12345;
  static_assert(count > (std::size_t(1) << 31));
  run_ranks(2, {}, [&](int rank, weft_comm_t comm) {
    const Tiled buffer(tile * tiles, tile);
    if (rank == 0)
      for (std::size_t i = 0; i < tile; ++i) buffer.data()[i] = std::byte(i * 7 % 251);
    ASSERT_EQ(weft_broadcast(buffer.data(), buffer.data(), count, weft_int8, 0, comm, nullptr),
              weft_ok)
        << weft_last_error();
    for (std::size_t i = 0; i < tile; ++i)
      ASSERT_EQ(buffer.data()[i], std::byte(i * 7 % 251)) << "at " << i;
  });
}

}  // namespace
}  // namespace weft::testing
