// Kernels read and write no byte outside their buffers: buffers that begin or end where a page
// begins that must not be touched.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <memory>

#include "intranode/host/map.hpp"
#include "tests/unit/host/instruction_sets.hpp"
#include "tests/unit/host/values.hpp"

namespace weft::host::test {
namespace {

enum class Side { start, end };

// Pages to work on between two that fault.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes)
      : page_(std::size_t(sysconf(_SC_PAGESIZE))), usable_((bytes + page_ - 1) / page_ * page_) {
    void* const all =
        mmap(nullptr, usable_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<std::byte*>(all);
    if (mprotect(all_ + page_, usable_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(all_, usable_ + 2 * page_); }

  std::byte* place(std::size_t bytes, Side side) {
    return all_ + page_ + (side == Side::start ? 0 : usable_ - bytes);
  }

 private:
  std::size_t page_, usable_;
  std::byte* all_ = nullptr;
};

constexpr std::size_t most_operands = 9, most_elements = 300;
constexpr std::size_t counts[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 129, most_elements};

class Guard : public testing::TestWithParam<i64> {
 protected:
  Guard() {
    for (std::size_t k = 0; k <= most_operands; ++k) {
      guarded_.push_back(std::make_unique<Guarded>(most_elements * 16));
    }
  }
  // The operand is copied to a guarded place of its own.
  const std::byte* guard(std::size_t k, const Bytes& values, Side side) {
    std::byte* const place = guarded_[k]->place(values.size(), side);
    std::memcpy(place, values.data(), values.size());
    return place;
  }
  Bytes result(std::byte* target, std::size_t bytes) { return Bytes(target, target + bytes); }

  std::mt19937_64 random_{7};
  Pool pool_{random_};
  InstructionSet set_{GetParam()};
  std::vector<std::unique_ptr<Guarded>> guarded_;
};

TEST_P(Guard, ReductionsStayInside) {
  for (DataType type : all_types) {
    for (Op op : all_ops) {
      if (!supports(type, op)) continue;
      for (std::size_t elements : counts) {
        for (Side side : {Side::start, Side::end}) {
          const std::size_t operands = 1 + random_() % most_operands;
          std::vector<Bytes> values;
          std::vector<const std::byte*> pointers;
          for (std::size_t k = 0; k < operands; ++k) {
            values.push_back(pool_.operand(type, Mood::mixed, elements));
            pointers.push_back(guard(k, values[k], side));
          }
          std::byte* const target = guarded_[most_operands]->place(values[0].size(), side);
          reduce_function(type, op)(target, pointers.data(), operands, elements, nullptr);
          ASSERT_EQ(result(target, values[0].size()), expected(type, op, values))
              << name_of(type) << ' ' << name_of(op) << ' ' << elements;
        }
      }
    }
  }
}

TEST_P(Guard, MapsStayInside) {
  for (DataType type : all_types) {
    const u64 n = 3;
    for (std::size_t elements : counts) {
      for (Side side : {Side::start, Side::end}) {
        SCOPED_TRACE(testing::Message() << name_of(type) << ' ' << elements);
        const Bytes values = pool_.operand(type, Mood::calm, elements);
        const std::byte* const source = guard(0, values, side);
        std::byte* const target = guarded_[1]->place(values.size(), side);
        if (multiply(type)) {
          const Bytes scalar = pool_.operand(type, Mood::calm, 1);
          multiply(type)(target, source, elements, guard(2, scalar, side));
          EXPECT_EQ(result(target, values.size()), expected_product(type, values, scalar));
          divide(type)(target, source, elements, &n);
          EXPECT_EQ(result(target, values.size()), expected_quotient(type, values, n));
        }
        if (widen(type)) {
          std::byte* const wide = guarded_[3]->place(elements * sizeof(float), side);
          widen(type)(wide, source, elements, nullptr);
          narrow(type)(target, wide, elements, nullptr);
          EXPECT_EQ(result(target, values.size()), values);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, Guard, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return hwy::TargetName(set.param); });

}  // namespace
}  // namespace weft::host::test
