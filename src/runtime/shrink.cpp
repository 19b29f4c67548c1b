// Going on without those that are lost: the control tree is the rendezvous, as the data path may be
// broken anywhere.
//
// Whoever is still there says so, and all get one list. The new communicator is made by exchanges
// among them; who is done, or cannot go on, repeats its outcome until nobody has anything else to
// say. When another one is lost meanwhile, all see it in the same exchange and begin again.
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/communicator.hpp"

namespace weft::runtime {
namespace {

// The first character of what a rank says: that it is there, part of a creation, or how it ended.
constexpr char present = '?', part = '.', good = '+', bad = '-';

using Words = std::vector<std::pair<u32, std::string>>;  // by rank; nothing of those that are lost

bool are_outcomes(const Words& words) {
  return std::none_of(words.begin(), words.end(),
                      [](const auto& each) { return each.second.starts_with(part); });
}

class Survivors {
 public:
  Survivors(Oversight& oversight, u32 self, Deadline deadline)
      : oversight_(oversight), self_(self), deadline_(deadline) {}

  Result<Words> exchange(std::string mine) {
    WEFT_ASSIGN(auto words, oversight_.exchange(std::move(mine), deadline_));
    const auto is_mine = [&](const auto& each) { return each.first == self_; };
    if (std::none_of(words.begin(), words.end(), is_mine))
      return fail(Code::aborted, "rank {}: the other ranks have gone on without this one", self_);
    return words;
  }
  Status count() {
    WEFT_ASSIGN(const Words words, exchange(std::string(1, present)));
    for (const auto& [rank, word] : words) {
      if (!word.starts_with(present)) return disagree(rank);
      members_.push_back(rank);
    }
    return {};
  }
  const std::vector<u32>& members() const { return members_; }
  u32 rank() const {
    return u32(std::find(members_.begin(), members_.end(), self_) - members_.begin());
  }
  bool all_there(const Words& words) const { return words.size() >= members_.size(); }
  // What each of them said; an error where one could not go on, or is lost.
  Result<std::vector<std::string>> all_of(const Words& words) const {
    std::vector<std::string> said;
    for (const auto& [rank, word] : words) {
      if (word.starts_with(bad))
        return fail(Code::aborted, "rank {} could not join the ranks that are left: {}", rank,
                    word.substr(1));
      if (!word.starts_with(part) && !word.starts_with(good)) return disagree(rank);
      said.push_back(word.substr(1));
    }
    if (!all_there(words)) return fail(Code::remote_error, "another rank was lost meanwhile");
    return said;
  }

 private:
  static tl::unexpected<Error> disagree(u32 rank) {
    return fail(Code::aborted, "rank {} is at another point of weft_comm_shrink: it had given up",
                rank);
  }

  Oversight& oversight_;
  const u32 self_;
  const Deadline deadline_;
  std::vector<u32> members_;  // ranks of the old communicator, by rank in the new one
};

class BySurvivors final : public bootstrap::Bootstrap {
 public:
  BySurvivors(Survivors& survivors, Secret secret) : survivors_(survivors), secret_(secret) {}
  u32 rank() const override { return survivors_.rank(); }
  u32 ranks() const override { return u32(survivors_.members().size()); }
  const Secret& secret() const override { return secret_; }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline) override {
    WEFT_ASSIGN(const Words words, survivors_.exchange(part + blob));
    return survivors_.all_of(words);
  }
  Status barrier(Deadline deadline) override {
    WEFT_TRY(exchange({}, deadline));
    return {};
  }

 private:
  Survivors& survivors_;
  Secret secret_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> Communicator::shrink(Result<Config> config) {
  engine_->condemn({Code::aborted, "the communicator was shrunk: use the new one"});
  if (config) config->node = info_.node_name;
  if (!oversight_) {
    if (!config) return fail(config.error());
    return create(bootstrap::alone(), *config, in_seconds(config->timeout_seconds));
  }
  const Deadline deadline = in_seconds(config ? config->timeout_seconds : config_.timeout_seconds);
  while (true) {
    Survivors survivors(*oversight_, rank_, deadline);
    WEFT_TRY(survivors.count());
    const std::string name =
        fmt::format("shrink {} {}", ++shrinks_, fmt::join(survivors.members(), " "));
    Result<std::unique_ptr<Communicator>> made{nullptr};
    try {
      made = config ? create(std::make_unique<BySurvivors>(survivors, secret_.derive(name)),
                             *config, deadline, Clock::now(), job_of(survivors.members()))
                    : Result<std::unique_ptr<Communicator>>(fail(config.error()));
    } catch (const std::exception& error) {
      made = fail(Code::system_error, "out of resources: {}", error.what());
    }
    const std::string outcome = made ? std::string(1, good) : bad + made.error().text;
    Words last;
    do { WEFT_ASSIGN(last, survivors.exchange(outcome)); } while (!are_outcomes(last));
    if (!survivors.all_there(last)) continue;  // all see that
    if (!made) return made;
    WEFT_TRY(survivors.all_of(last));
    return made;
  }
}

}  // namespace weft::runtime
