// The ring between two ends: nothing lost, doubled, torn or out of order, at every size that fits;
// and a consumer that does not believe a producer gone mad.
#include "base/spsc_ring.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <random>
#include <thread>
#include <vector>

#include "base/handle.hpp"

namespace weft {
namespace {

std::byte pattern(u64 record, std::size_t i) { return static_cast<std::byte>(record * 131 + i); }

std::vector<std::byte> payload(u64 record, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = pattern(record, i);
  return made;
}

class Ring : public testing::TestWithParam<std::size_t> {
 protected:
  std::span<std::byte> memory() { return mapping_.bytes().first(ring_bytes(GetParam())); }
  Mapping mapping_ = Mapping::anonymous(ring_bytes(GetParam())).value();
};

TEST_P(Ring, EverySizeInOrder) {
  RingProducer producer(memory());
  RingConsumer consumer(memory());
  EXPECT_FALSE(consumer.front());
  const u64 records = 4 * producer.max_payload();
  u64 sent = 0, received = 0;
  while (received < records) {
    const auto size = [&](u64 record) { return record % (producer.max_payload() + 1); };
    while (sent < records && producer.push(payload(sent, size(sent)))) ++sent;
    for (auto record = consumer.front(); record; record = consumer.front()) {
      ASSERT_EQ(payload(received, size(received)), std::vector(record->begin(), record->end()));
      consumer.pop();
      ++received;
    }
  }
  EXPECT_TRUE(consumer.empty());
  EXPECT_FALSE(consumer.corrupt());
}

TEST_P(Ring, FullUntilRead) {
  RingProducer producer(memory());
  RingConsumer consumer(memory());
  std::size_t fit = 0;
  while (producer.push({})) ++fit;
  EXPECT_EQ(fit, GetParam() / cache_line_bytes);
  EXPECT_FALSE(producer.has_room_for(0));
  const std::size_t at_a_time = std::max<std::size_t>(1, GetParam() / 8 / cache_line_bytes);
  for (std::size_t i = 0; i < at_a_time; ++i) {
    ASSERT_TRUE(consumer.front());
    EXPECT_TRUE(consumer.front()) << "looking twice takes nothing";
    EXPECT_FALSE(producer.has_room_for(0)) << "an eighth of the ring is given back at a time";
    consumer.pop();
  }
  EXPECT_TRUE(producer.has_room_for(0));
  for (std::size_t i = 0; i < at_a_time; ++i) EXPECT_TRUE(producer.push({}));
  EXPECT_FALSE(producer.push({}));
}

TEST_P(Ring, TakesTheLargestWhereverItStands) {
  RingProducer producer(memory());
  RingConsumer consumer(memory());
  const auto largest = payload(1, producer.max_payload());
  for (std::size_t place = 0; place < 2 * GetParam() / cache_line_bytes; ++place) {
    for (const auto& sent : {largest, std::vector<std::byte>()}) {
      ASSERT_TRUE(producer.push(sent)) << "at line " << place << " of an empty ring";
      const auto record = consumer.front();
      ASSERT_TRUE(record);
      EXPECT_EQ(std::vector(record->begin(), record->end()), sent);
      consumer.pop();
    }
  }
}

TEST_P(Ring, AReservationAbandonedLeavesNothing) {
  RingProducer producer(memory());
  RingConsumer consumer(memory());
  ASSERT_TRUE(producer.reserve(producer.max_payload()));
  EXPECT_TRUE(consumer.empty());
  ASSERT_TRUE(producer.push(payload(7, 9), payload(8, 3)));
  const auto record = consumer.front();
  ASSERT_TRUE(record);
  auto both = payload(7, 9);
  both.insert(both.end(), {pattern(8, 0), pattern(8, 1), pattern(8, 2)});
  EXPECT_EQ(std::vector(record->begin(), record->end()), both);
}

TEST_P(Ring, TwoThreadsAtTwoAddresses) {
  // The consumer sees the ring through another mapping of the same pages, as another process would.
  const Fd file(::memfd_create("ring", 0));
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(ring_bytes(GetParam()))), 0);
  const Mapping here = Mapping::of_file(file.get(), ring_bytes(GetParam())).value();
  const Mapping there = Mapping::of_file(file.get(), ring_bytes(GetParam())).value();
  ASSERT_NE(here.bytes().data(), there.bytes().data());

  constexpr u64 records = 20'000;
  const std::size_t largest = RingProducer(here.bytes()).max_payload();
  const auto size = [&](u64 record) { return (record * 7919) % (largest + 1); };
  std::thread producing([&] {
    RingProducer producer(here.bytes());
    for (u64 sent = 0; sent < records;)
      producer.push(payload(sent, size(sent))) ? void(++sent) : std::this_thread::yield();
  });
  RingConsumer consumer(there.bytes());
  u64 wrong = 0;
  for (u64 received = 0; received < records;) {
    const auto record = consumer.front();
    if (!record) {
      std::this_thread::yield();
      continue;
    }
    wrong += record->size() != size(received);
    for (std::size_t i = 0; i < record->size(); ++i) wrong += (*record)[i] != pattern(received, i);
    consumer.pop();
    ++received;
  }
  producing.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(consumer.empty());
}

TEST_P(Ring, NoiseInTheMemoryIsNotBelieved) {
  const u64 seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    RingConsumer consumer(memory());
    for (std::byte& byte : memory()) byte = static_cast<std::byte>(random());
    // Plausible numbers, so that rounds get past the first look: in each line a header that may
    // well be one.
    for (std::size_t at = sizeof(RingIndex); at < memory().size(); at += cache_line_bytes) {
      const u32 header[] = {static_cast<u32>(random() % (2 * GetParam())),
                            static_cast<u32>(random() % 8 < 6 ? 1 : random() % 4)};
      std::memcpy(memory().data() + at, header, sizeof header);
    }
    std::size_t records = 0;
    while (const auto record = consumer.front()) {
      ASSERT_GE(record->data(), memory().data() + sizeof(RingIndex));
      ASSERT_LE(record->data() + record->size(), memory().data() + memory().size());
      consumer.pop();
      ASSERT_LE(++records, GetParam() / cache_line_bytes);
    }
    EXPECT_TRUE(consumer.corrupt() || consumer.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Capacity, Ring, testing::Values(256, 512, 4096),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace weft
