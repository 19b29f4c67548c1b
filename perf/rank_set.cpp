#include "perf/rank_set.hpp"

#include <algorithm>
#include <cstring>

#include "perf/peer_module.hpp"

namespace weft::perf {
namespace {

constexpr std::size_t widest_element = 16;

std::size_t most_shift(const Options& options) {
  return options.offset_bytes + widest_element * options.unalign +
         (options.compares("unaligned") ? unaligned_shift : 0);
}

std::size_t room(const Options& options) {
  const std::size_t largest = options.sizes.maximum;
  if (!options.compares("grouped")) return largest;
  return std::max(largest, grouped_operations * std::min(largest, grouped_bytes));
}

// In place a message fills the larger of input and output.
std::size_t end_of_results(const Case& test, Place place, int rank) {
  return place == Place::in ? test.bytes() : test.layout.received_by(rank) * test.type->bytes;
}

}  // namespace

RankSet::RankSet(const Options& options, const Collective& collective, int all_ranks,
                 int first_rank, std::span<const Communicator> communicators)
    : options_(options), collective_(collective), all_ranks_(all_ranks) {
  for (const Communicator& comm : communicators)
    ranks_.push_back(Rank{.number = first_rank++,
                          .comm = comm.get(),
                          .op = {},
                          .send = {},
                          .receive = {},
                          .digest = {}});
}

void RankSet::use(const Runner& runner) {
  runner_ = runner;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].op.reset();
    ranks_[i].comm = runner.communicators[i].get();
  }
}

Status RankSet::allocate() {
  for (Rank& rank : ranks_)
    for (Buffer* buffer : {&rank.send, &rank.receive})
      if (!buffer->allocate(room(options_), most_shift(options_), options_.shared_buffers))
        return fail(Exit::system_error, "rank {}: no {} memory for a buffer of {} bytes; lower -e",
                    rank.number, options_.shared_buffers ? "shared" : "private", room(options_));
  return {};
}

PeerBuffers RankSet::buffers() const {
  const Rank& rank = ranks_.front();
  return {rank.send.memory(), rank.receive.memory(), rank.send.bytes()};
}

std::size_t RankSet::bytes_per_rank(const Options& options) {
  return 2 * (room(options) + most_shift(options));
}

void RankSet::align_for(const ElementType& type, std::size_t more) {
  for (Rank& rank : ranks_)
    for (Buffer* buffer : {&rank.send, &rank.receive})
      buffer->shift(options_.offset_bytes + options_.unalign * type.bytes + more);
}

Status RankSet::make_operators(const Case& test) {
  for (Rank& rank : ranks_) {
    rank.op.reset();
    if (!test.op->premultiplied || runner_.peer) continue;
    auto made = PremulSum::make(test.type->type, rank.number, rank.comm);
    if (!made) return tl::unexpected(std::move(made).error());
    rank.op = std::move(*made);
  }
  return {};
}

RankData RankSet::data_of(const Rank& rank, const Case& test, std::uint64_t seed,
                          Inputs inputs) const {
  return {.key = {.type = test.type->type,
                  .op = test.op->op,
                  .premultiplied = test.op->premultiplied,
                  .ranks = all_ranks_,
                  .seed = seed,
                  .inputs = inputs},
          .rank = rank.number,
          .root = test.root,
          .layout = test.layout};
}

void RankSet::prepare(const Case& test, Place place, std::uint64_t seed, Inputs inputs) {
  for (Rank& rank : ranks_) {
    std::memset(rank.receive.begin(), 0, end_of_results(test, place, rank.number));
    rank.receive.guard(end_of_results(test, place, rank.number));
    std::byte* send = rank.send.begin();
    if (place == Place::in)
      send = rank.receive.begin() + test.layout.send_place(rank.number) * test.type->bytes;
    collective_.fill(data_of(rank, test, seed, inputs), send);
  }
}

std::size_t RankSet::parts(const Case& test) const {
  return test.bytes() ? std::max<std::size_t>(options_.sizes.maximum / test.bytes(), 1) : 1;
}

Call RankSet::call_of(const Rank& rank, const Case& test, Place place, std::size_t part) const {
  const std::size_t shift = test.bytes() * part;
  std::byte* receive = rank.receive.begin() + shift;
  Call call = {.send = rank.send.begin() + shift,
               .receive = receive,
               .count = test.layout.parameter,
               .type = test.type->type,
               .op = rank.op ? rank.op->value() : test.op->op,
               .root = test.root,
               .rank = rank.number,
               .ranks = all_ranks_,
               .comm = rank.comm};
  if (place == Place::in) {
    call.send = receive + test.layout.send_place(rank.number) * test.type->bytes;
    call.receive = receive + test.layout.receive_place(rank.number) * test.type->bytes;
  }
  return call;
}

Status RankSet::start(const Call& call) const {
  if (!runner_.peer) return check(collective_.call(call), collective_.name);
  const PeerCall peer_call = {.kind = collective_.kind,
                              .uneven = collective_.uneven,
                              .send = call.send,
                              .receive = call.receive,
                              .count = call.count,
                              .type = call.type,
                              .op = call.op,
                              .root = call.root,
                              .form = runner_.form};
  if (!runner_.peer->call(&peer_call)) return failure_of(*runner_.peer, collective_.name);
  return {};
}

Status RankSet::call(const Case& test, Place place, std::size_t iteration, int operations) {
  const std::size_t at_once = std::min<std::size_t>(parts(test), operations);
  for (std::size_t done = 0; done < static_cast<std::size_t>(operations); done += at_once) {
    const std::size_t now = std::min(at_once, operations - done);
    const bool grouped = now * ranks_.size() > 1 && !runner_.peer;
    Group group;
    if (grouped) PERF_TRY(group.begin());
    for (std::size_t i = 0; i < now; ++i)
      for (const Rank& rank : ranks_)
        PERF_TRY(start(call_of(rank, test, place, (iteration + done + i) % parts(test))));
    if (grouped) PERF_TRY(group.end(collective_.name));
  }
  return {};
}

Status RankSet::groups(const Case& test) {
  for (std::size_t first = 0; first < grouped_operations; first += operations_of_a_group) {
    Group group;
    PERF_TRY(group.begin());
    for (std::size_t i = first; i < first + operations_of_a_group; ++i)
      for (const Rank& rank : ranks_) PERF_TRY(start(call_of(rank, test, Place::out, i)));
    PERF_TRY(group.end(collective_.name));
  }
  return {};
}

const std::byte* RankSet::result_of(const Rank& rank, const Case& test, Place place) const {
  const Call call = call_of(rank, test, place, 0);
  return static_cast<const std::byte*>(call.receive);
}

std::size_t RankSet::wrong(const Case& test, Place place, std::uint64_t seed) const {
  std::size_t wrong = 0;
  for (const Rank& rank : ranks_) {
    wrong +=
        collective_.wrong(data_of(rank, test, seed, Inputs::exact), result_of(rank, test, place));
    wrong += rank.receive.guard_is_whole(end_of_results(test, place, rank.number)) ? 0 : 1;
  }
  return wrong;
}

void RankSet::add_to_digests(const Case& test, Place place) {
  for (Rank& rank : ranks_)
    rank.digest.update(result_of(rank, test, place),
                       test.layout.received_by(rank.number) * test.type->bytes);
}

std::vector<DigestValue> RankSet::digests() const {
  std::vector<DigestValue> values;
  for (const Rank& rank : ranks_) values.push_back(rank.digest.value());
  return values;
}

}  // namespace weft::perf
