// Communicators split off another one: the parent's own collectives are the rendezvous.
//
// All ranks of the parent take part in every exchange, whatever their colour and whatever went
// wrong on them, so that a rank with an error never leaves the others waiting: its words are then
// the error, and all ranks of its colour fail with them. Who is done repeats its outcome until
// nobody has anything else to say, which all ranks hear in the same exchange.
#include <algorithm>
#include <cstring>

#include "runtime/communicator.hpp"

namespace weft::runtime {
namespace {

// The first character of what a rank says: part of a creation, or how it ended.
constexpr char part = '.', good = '+', bad = '-';

// A rank's words, as far as they fit beside their number; most outcomes are one character.
struct Head {
  u64 size;
  char start[56];
};

bool are_outcomes(const std::vector<std::string>& words) {
  return std::none_of(words.begin(), words.end(),
                      [](const std::string& w) { return w.starts_with(part); });
}

class Parent {
 public:
  Parent(Communicator& parent, Secret secret) : parent_(parent), secret_(secret) {}

  // Everybody's words, by rank of the parent.
  Result<std::vector<std::string>> exchange(const std::string& mine) {
    Head head{.size = mine.size(), .start = {}};
    mine.copy(head.start, sizeof head.start);
    std::vector<Head> heads(parent_.ranks());
    WEFT_TRY(gather(&head, heads.data(), sizeof head));
    u64 longest = 0;
    for (const Head& each : heads) longest = std::max(longest, each.size);
    std::vector<std::string> words;
    if (longest <= sizeof head.start) {
      for (const Head& each : heads) words.emplace_back(each.start, each.size);
      return words;
    }
    std::string padded = mine, all(longest * parent_.ranks(), '\0');
    padded.resize(longest);
    WEFT_TRY(gather(padded.data(), all.data(), longest));
    for (u32 r = 0; r < parent_.ranks(); ++r)
      words.push_back(all.substr(r * longest, heads[r].size));
    return words;
  }
  Status gather(const void* mine, void* all, u64 bytes) {
    WEFT_ASSIGN(Request* const request, parent_.start({.kind = schedule::Kind::all_gather,
                                                       .input = mine,
                                                       .output = all,
                                                       .count = bytes,
                                                       .type = DataType::uint8},
                                                      Of::library));
    Communicator::wait(std::span(&request, 1));
    return parent_.finish(*request);
  }
  const Secret& secret() const { return secret_; }
  void set_members(std::vector<u32> members) { members_ = std::move(members); }
  const std::vector<u32>& members() const { return members_; }
  u32 rank() const {
    return u32(std::find(members_.begin(), members_.end(), parent_.rank()) - members_.begin());
  }

  // The words of the own colour, or the first error among them.
  Result<std::vector<std::string>> words_of_members(const std::vector<std::string>& all) const {
    std::vector<std::string> words;
    for (const u32 member : members_) {
      if (all[member].empty() || all[member][0] == bad)
        return fail(Code::aborted, "rank {} of the parent communicator could not join: {}", member,
                    all[member].substr(std::min<std::size_t>(1, all[member].size())));
      words.push_back(all[member].substr(1));
    }
    return words;
  }

 private:
  Communicator& parent_;
  Secret secret_;
  std::vector<u32> members_;  // ranks of the parent, by rank in the new communicator
};

class ByParent final : public bootstrap::Bootstrap {
 public:
  explicit ByParent(Parent& parent) : parent_(parent) {}
  u32 rank() const override { return parent_.rank(); }
  u32 ranks() const override { return u32(parent_.members().size()); }
  const Secret& secret() const override { return parent_.secret(); }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline) override {
    WEFT_ASSIGN(const auto all, parent_.exchange(part + blob));
    return parent_.words_of_members(all);
  }
  Status barrier(Deadline deadline) override {
    WEFT_TRY(exchange({}, deadline));
    return {};
  }

 private:
  Parent& parent_;
};

struct Ticket {
  u32 color;
  i32 key;
};
constexpr u32 colorless = ~0u;

std::vector<u32> members_of(u32 color, const std::vector<Ticket>& tickets) {
  std::vector<u32> members;
  for (u32 r = 0; r < tickets.size(); ++r)
    if (tickets[r].color == color) members.push_back(r);
  std::stable_sort(members.begin(), members.end(),
                   [&](u32 a, u32 b) { return tickets[a].key < tickets[b].key; });
  return members;
}

}  // namespace

Result<std::unique_ptr<Communicator>> Communicator::split(std::optional<u32> color, i32 key,
                                                          Result<Config> config) {
  const Ticket mine{color.value_or(colorless), key};
  Parent parent(*this, secret_.derive(fmt::format("split {} {}", splits_, mine.color)));
  std::vector<Ticket> tickets(ranks_);
  WEFT_TRY(parent.gather(&mine, tickets.data(), sizeof mine));
  ++splits_;
  Result<std::unique_ptr<Communicator>> made{nullptr};
  if (color) parent.set_members(members_of(mine.color, tickets));
  if (!config) {
    made = fail(config.error());
  } else if (color) {
    config->node = info_.node_name;
    try {
      made = create(std::make_unique<ByParent>(parent), *config,
                    in_seconds(config->timeout_seconds), Clock::now(), job_of(parent.members()));
    } catch (const std::exception& error) {
      made = fail(Code::system_error, "out of resources: {}", error.what());
    }
  }
  // Nobody goes on with a communicator that others do not have.
  const std::string outcome = made ? std::string(1, good) : bad + made.error().text;
  std::vector<std::string> last;
  do { WEFT_ASSIGN(last, parent.exchange(outcome)); } while (!are_outcomes(last));
  if (!made) return made;
  if (color) WEFT_TRY(parent.words_of_members(last));
  return made;
}

}  // namespace weft::runtime
