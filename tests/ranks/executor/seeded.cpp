// A thousand jobs from seeds: any shape, schedule, type, slicing, frames and slots, in bad weather.
#include <algorithm>

#include "tests/ranks/executor/job.hpp"

namespace weft::testing {
namespace {

using schedule::Kind;

template <class T, std::size_t n>
T pick(std::mt19937_64& dice, const T (&from)[n]) {
  return from[dice() % n];
}

// What the oracle of this suite computes; every type has its kernels tested in unit.host.
constexpr DataType known_types[] = {DataType::uint8, DataType::int32, DataType::float32,
                                    DataType::bfloat16, DataType::float64};
constexpr Op known_ops[] = {Op::sum, Op::min, Op::max};

schedule::Shape any_shape(std::mt19937_64& dice) {
  const char* const shapes[] = {"1",     "2",     "3",     "5",     "8",   "11",  "1+1",
                                "2+2",   "3+2",   "2+3",   "1+7",   "7+1", "3x3", "4x2",
                                "2+2+1", "5+1+4", "1+1+1", "4+4+3", "2x5", "4+1"};
  schedule::Shape shape = *schedule::Shape::parse(pick(dice, shapes));
  const u32 rails[] = {1, 1, 1, 2, 3};
  shape.rails = pick(dice, rails);
  if (dice() % 4 == 0 && shape.nodes() > 1) {  // as `mpirun --map-by node` places ranks
    for (u32 i = 0; i < shape.ranks(); ++i) shape.order.push_back(i);
    std::shuffle(shape.order.begin(), shape.order.end(), dice);
    u32 seat = 0;
    for (const u32 size : shape.size) {
      std::sort(shape.order.begin() + seat, shape.order.begin() + seat + size);
      seat += size;
    }
  }
  return shape;
}

CallSettings any_call(std::mt19937_64& dice, const schedule::Shape& shape) {
  CallSettings call;
  call.kind = pick(dice, schedule::all_kinds);
  const auto names = algorithms::names(call.kind, shape);
  call.algorithm = names[dice() % names.size()];
  call.root = u32(dice() % shape.ranks());
  call.type = pick(dice, known_types);
  call.op = pick(dice, known_ops);
  if (schedule::reduces(call.kind)) {
    call.wide = call.type == DataType::bfloat16 && dice() % 2;
    call.multiplier = call.wide || dice() % 3 ? 1 : 2;
  }
  const u64 p = shape.ranks(),
            counts[] = {0, 1, 2, p - 1, p, p + 1, 15, 16, 17, 63, 100, 129, 300, 1000, 4099};
  call.count = pick(dice, counts);
  const u64 unit = cache_line_bytes / bytes_of(call.wide ? DataType::float32 : call.type),
            slices[] = {0, unit, 2 * unit, 5 * unit, 40 * unit};
  call.slice_elements = pick(dice, slices);
  if (call.slice_elements && call.count / call.slice_elements > 40) call.slice_elements = 0;
  call.streams = dice() % 2;
  // All-to-all in place is the runtime's: it has the program read an image.
  call.in_place = dice() % 2 && call.kind != schedule::Kind::all_to_all;
  call.shift_bytes = u32(dice() % 16);
  return call;
}

std::string run_seed(u64 seed) {
  std::mt19937_64 dice(seed);
  JobSettings settings;
  settings.shape = any_shape(dice);
  const u32 frames[] = {1, 1, 2, 3, 5}, slots[] = {0, 1, 1, 2, 4},
            slot_bytes[] = {64, 128, 320, 4096};
  settings.channels = {.frames = pick(dice, frames),
                       .slots = pick(dice, slots),
                       .slot_bytes = pick(dice, slot_bytes),
                       .lend = dice() % 3 == 0};
  if (dice() % 4) settings.weather_seed = dice();
  settings.seed = dice();
  Job job(settings);
  std::string what =
      fmt::format("seed {}: nodes {} frames {} slots {} of {}", seed, settings.shape.text(),
                  settings.channels.frames, settings.channels.slots, settings.channels.slot_bytes);
  for (u64 calls = 1 + dice() % 3; calls-- > 0;) {
    const CallSettings call = any_call(dice, settings.shape);
    what +=
        fmt::format(", {} {} {} {} count {} slice {} streams {} in place {}",
                    schedule::name_of(call.kind), call.algorithm, name_of(call.type),
                    name_of(call.op), call.count, call.slice_elements, call.streams, call.in_place);
    job.start(call);
    if (::testing::Test::HasFatalFailure()) return what;
  }
  if (!job.run()) return what + ": nothing moves any more";
  const std::string fault = job.verdict();
  return fault.empty() ? fault : what + ": " + fault;
}

class Seeded : public ::testing::TestWithParam<u64> {};

TEST_P(Seeded, JobsGiveTheRightBitsAndTheirRecordsAreExecutions) {
  for (u64 seed = GetParam(); seed < GetParam() + 50; ++seed) ASSERT_EQ(run_seed(seed), "");
}

INSTANTIATE_TEST_SUITE_P(Thousand, Seeded, ::testing::Range<u64>(0, 1000, 50));

}  // namespace
}  // namespace weft::testing
