#include "tests/ranks/executor/job.hpp"

#include <algorithm>
#include <cmath>

#include "verify/trace.hpp"

namespace weft::testing {

using oracle::Bytes;
using schedule::Kind;

namespace {

constexpr std::size_t guard = 96;  // bytes on both sides of every buffer, which nobody may touch
constexpr auto guard_value = std::byte{0xa5};

bool gathers(Kind kind) { return kind == Kind::all_gather || kind == Kind::gather; }
bool scatters(Kind kind) { return kind == Kind::reduce_scatter || kind == Kind::scatter; }

u64 input_elements(const CallSettings& call, u32 ranks) {
  const bool whole = scatters(call.kind) || call.kind == Kind::all_to_all;
  return whole ? call.count * ranks : call.count;
}
u64 output_elements(const CallSettings& call, u32 ranks) {
  const bool whole = gathers(call.kind) || call.kind == Kind::all_to_all;
  return whole ? call.count * ranks : call.count;
}
// Has this rank an input, has it an output?
bool reads(const CallSettings& call, u32 rank) {
  return (call.kind != Kind::broadcast && call.kind != Kind::scatter) || rank == call.root;
}
bool writes(const CallSettings& call, u32 rank) {
  if (call.kind == Kind::exscan) return rank > 0;
  return (call.kind != Kind::reduce && call.kind != Kind::gather) || rank == call.root;
}

}  // namespace

Job::Job(JobSettings settings) : settings_(std::move(settings)), dice_(settings_.seed) {
  const Secret secret = Secret::random();
  for (u32 rank = 0; rank < ranks(); ++rank) {
    loopback::Options options;
    if (settings_.weather_seed)
      options.weather = loopback::Weather{.seed = *settings_.weather_seed, .cut = {}};
    transports_.push_back(*loopback::create(secret, rank, ranks(), options));
  }
  for (u32 rank = 0; rank < ranks(); ++rank) {
    std::vector<channel::Route> routes;
    for (u32 peer = 0; peer < ranks(); ++peer)
      routes.push_back(peer == rank
                           ? channel::Route{}
                           : channel::Route{transports_[rank].get(), transports_[peer]->address()});
    engines_.push_back(std::make_unique<executor::Engine>(executor::Settings{
        .rank = rank,
        .channels = settings_.channels,
        .routes = std::move(routes),
        .describe = [](const executor::Signature& s) { return fmt::format("call {:08x}", s.hash); },
        .trace = true}));
  }
}

// Sums of floats are prone to cancel, so that a wrong order shows; where any order is allowed, they
// are exact.
void Job::fill(RunningCall& call) {
  const bool exact = call.order == schedule::Order::fast;
  const std::size_t size = bytes_of(call.settings.type);
  for (u32 rank = 0; rank < ranks(); ++rank) {
    Bytes& bytes = call.contribution.emplace_back(input_elements(call.settings, ranks()) * size);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      const bool narrow = call.settings.type == DataType::bfloat16;
      const i32 whole = narrow && exact ? i32(dice_() % 9) - 4 : i32(dice_() % 2001) - 1000;
      const int scale = exact ? 0 : int(dice_() % 24) - 12;
      const float single = std::ldexp(float(whole), scale);
      const double twice = std::ldexp(double(whole) + (exact ? 0 : 1.0 / 3), scale);
      const i32 any = i32(u32(dice_()));
      const oracle::Narrow half = oracle::Narrow::of(single);
      const void* const from =
          call.settings.type == DataType::float32   ? static_cast<const void*>(&single)
          : call.settings.type == DataType::float64 ? static_cast<const void*>(&twice)
          : narrow                                  ? static_cast<const void*>(&half)
                                                    : static_cast<const void*>(&any);
      std::memcpy(bytes.data() + i, from, size);
    }
  }
}

// Lays buffers out between guards, in place as the collective defines it.
void Job::place(RunningCall& call) {
  const CallSettings& c = call.settings;
  const std::size_t size = bytes_of(c.type);
  for (u32 rank = 0; rank < ranks(); ++rank) {
    const Bytes& mine = call.contribution[rank];
    const std::size_t out_bytes = output_elements(c, ranks()) * size;
    const std::size_t whole = std::max(mine.size(), out_bytes);
    Bytes& output = call.output.emplace_back(
        2 * guard + c.shift_bytes + (c.in_place ? whole : out_bytes), guard_value);
    Bytes& input = call.input.emplace_back(2 * guard + c.shift_bytes + mine.size(), guard_value);
    std::copy(mine.begin(), mine.end(), input.begin() + guard + c.shift_bytes);
    std::byte* const out = output.data() + guard + c.shift_bytes;
    const u64 window = u64{rank} * c.count * size;
    executor::Operation& operation = call.operations.emplace_back();
    operation.input = input.data() + guard + c.shift_bytes;
    operation.output = out;
    if (c.in_place) {  // one memory holds the whole vector; the own block is in its place
      if (reads(c, rank)) std::copy(mine.begin(), mine.end(), out + (gathers(c.kind) ? window : 0));
      operation.input = operation.output = out;
    } else if (gathers(c.kind)) {
      operation.input -= window;
    } else if (scatters(c.kind)) {
      operation.output -= window;
    }
  }
}

void Job::start(const CallSettings& settings) {
  RunningCall& call = calls_.emplace_back();
  call.settings = settings;
  call.order = algorithms::order_of(settings.algorithm, settings.kind, settings_.shape);
  fill(call);
  place(call);
  const std::size_t size = bytes_of(settings.type);
  const bool token = settings.kind == Kind::barrier;
  const DataType combined = settings.wide ? DataType::float32 : settings.type;
  call.scalar = oracle::scalar_of(settings.type, settings.multiplier);
  for (u32 rank = 0; rank < ranks(); ++rank) {
    auto emitted =
        algorithms::emit(settings.algorithm, settings.kind, settings_.shape, settings.root, rank);
    ASSERT_TRUE(emitted) << emitted.error().text;
    auto partition = token ? schedule::Partition::token()
                           : schedule::Partition(emitted->tiling, settings.count,
                                                 cache_line_bytes / bytes_of(combined));
    partition.look_from(emitted->program);
    const executor::Layout layout{token ? 1 : settings.count, token ? 1 : u32(bytes_of(combined)),
                                  settings.slice_elements, settings.streams};
    auto plan = executor::lower(emitted->program, emitted->collective, partition, layout,
                                engines_[rank]->fabric());
    ASSERT_TRUE(plan) << plan.error().text;
    call.plans.push_back(std::move(*plan));
    executor::Operation& operation = call.operations[rank];
    operation.plan = call.plans.back().get();
    operation.reduce = {host::reduce_function(combined, settings.op)};
    if (settings.wide) {
      operation.before = {host::widen(settings.type)};
      operation.after = {host::narrow(settings.type)};
    } else if (settings.multiplier != 1) {
      operation.before = {host::multiply(settings.type), call.scalar.data()};
    }
    operation.element_bytes = layout.element_bytes;
    operation.user_element_bytes = token ? 1 : u32(size);
    operation.signature.hash = u32(calls_.size());
    engines_[rank]->start(operation);
  }
}

bool Job::run() {
  const auto all_done = [&] {
    for (RunningCall& call : calls_)
      for (executor::Operation& operation : call.operations)
        if (!operation.done()) return false;
    return true;
  };
  for (u32 idle = 0; !all_done() && idle < 2000;) {
    bool moved = false;
    for (u32 i = 0; i < ranks(); ++i) moved |= engines_[dice_() % ranks()]->poll();
    for (u32 i = 0; i < ranks() && !moved; ++i) moved |= engines_[i]->poll();
    idle = moved ? 0 : idle + 1;
  }
  return all_done();
}

Bytes Job::expected(const RunningCall& call, u32 rank) const {
  const CallSettings& c = call.settings;
  const auto block_of = [&](const Bytes& vector) {
    const std::size_t block = c.count * bytes_of(c.type);
    return Bytes(vector.begin() + long(rank * block), vector.begin() + long((rank + 1) * block));
  };
  if (c.kind == Kind::broadcast) return call.contribution[c.root];
  if (c.kind == Kind::scatter) return block_of(call.contribution[c.root]);
  if (!schedule::reduces(c.kind)) {
    Bytes all;
    for (const Bytes& given : call.contribution) {
      const Bytes block = c.kind == Kind::all_to_all ? block_of(given) : given;
      all.insert(all.end(), block.begin(), block.end());
    }
    return all;
  }
  u32 operands = ranks();
  if (schedule::is_scan(c.kind)) operands = rank + u32(c.kind == Kind::scan);
  const std::vector<Bytes> given(call.contribution.begin(), call.contribution.begin() + operands);
  const auto groups = call.order == schedule::Order::shape ? oracle::by_node(settings_.shape)
                                                           : oracle::one_group(operands);
  const Bytes result = oracle::reduced(given, c.type, c.op, groups, c.wide, c.multiplier);
  return c.kind == Kind::reduce_scatter ? block_of(result) : result;
}

std::string Job::check_results(const RunningCall& call) const {
  const CallSettings& c = call.settings;
  for (u32 rank = 0; rank < ranks() && c.kind != Kind::barrier; ++rank) {
    const Bytes want = writes(c, rank) ? expected(call, rank) : Bytes{};
    const Bytes& output = call.output[rank];
    const std::size_t window =
        c.in_place && scatters(c.kind) ? rank * c.count * bytes_of(c.type) : 0;
    const std::size_t begin = guard + c.shift_bytes;
    if (!std::equal(want.begin(), want.end(), output.begin() + long(begin + window)))
      return fmt::format(
          "{}: wrong bits at rank {}, first at byte {} of {}", c.algorithm, rank,
          std::mismatch(want.begin(), want.end(), output.begin() + long(begin + window)).first -
              want.begin(),
          want.size());
    const auto untouched = [](std::byte b) { return b == guard_value; };
    const std::size_t end = output.size() - guard;
    if (!std::all_of(output.begin(), output.begin() + long(begin), untouched) ||
        !std::all_of(output.begin() + long(end), output.end(), untouched))
      return fmt::format("{}: wrote outside the buffer of rank {}", c.algorithm, rank);
    const Bytes& input = call.input[rank];
    if (!std::equal(call.contribution[rank].begin(), call.contribution[rank].end(),
                    input.begin() + long(begin)))
      return fmt::format("{}: changed the input of rank {}", c.algorithm, rank);
  }
  return {};
}

std::string Job::verdict() {
  for (RunningCall& call : calls_) {
    for (u32 rank = 0; rank < ranks(); ++rank)
      if (call.operations[rank].state != executor::Operation::State::succeeded)
        return fmt::format("{}: not finished at rank {}: {}", call.settings.algorithm, rank,
                           call.operations[rank].error.text);
    if (std::string fault = check_results(call); !fault.empty()) return fault;
  }
  std::vector<schedule::RankTrace> traces;
  for (const auto& engine : engines_) traces.push_back(engine->tracer()->trace());
  return verify::check_trace(traces).fault;
}

}  // namespace weft::testing
