#include "control/diagnose.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace weft::control {
namespace {

using Kind = Diagnosis::Kind;

std::string ranks_text(const std::vector<u32>& ranks) {
  const std::size_t shown = std::min<std::size_t>(ranks.size(), 8);
  std::string text = fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                                 fmt::join(ranks.begin(), ranks.begin() + i64(shown), ", "));
  if (shown < ranks.size()) text += fmt::format(" and {} more", ranks.size() - shown);
  return text;
}

std::string seconds_text(u64 milliseconds) {
  return fmt::format("{:.1f} s", double(milliseconds) / 1e3);
}

// A short time is as old as the last look, which says nothing.
std::string since(u64 milliseconds) {
  return milliseconds < 1000 ? "" : " for " + seconds_text(milliseconds);
}

class Doctor {
 public:
  Doctor(const Survey& survey, const std::function<std::string(Process)>& describe)
      : survey_(survey),
        entries_(survey.entries),
        ranks_(u32(survey.members.size())),
        describe_(describe) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
    for (const Entry& entry : entries_) call_ = std::min(call_, entry.done);
    for (const Entry& entry : entries_)
      if (called_.empty() && entry.call == call_) called_ = entry.called;
  }

  Diagnosis examine() const {
    // Of who does not answer nothing is known; it may only be slow.
    for (const auto& step : {&Doctor::mismatch, &Doctor::gone, &Doctor::never_arrived,
                             &Doctor::silent, &Doctor::not_driven, &Doctor::stuck})
      if (Diagnosis found = (this->*step)(); found.kind != Kind::nothing) return found;
    return {};
  }

 private:
  // Ranks that called different things under one number. Named first: the fewest.
  Diagnosis mismatch() const {
    std::map<u64, std::map<std::string, std::vector<u32>>> calls;
    for (const Entry& entry : entries_)
      if (!entry.called.empty()) calls[entry.call][entry.called].push_back(entry.rank);
    const auto differs =
        std::find_if(calls.begin(), calls.end(), [](auto& call) { return call.second.size() > 1; });
    if (differs == calls.end()) return {};
    std::vector<std::pair<std::string, std::vector<u32>>> groups(differs->second.begin(),
                                                                 differs->second.end());
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
      return a.second.size() != b.second.size() ? a.second.size() < b.second.size()
                                                : a.second.front() > b.second.front();
    });
    return {Kind::mismatch, Code::mismatch,
            fmt::format("call {} is {} on {} but {} on {}: all ranks of a communicator must make "
                        "the same calls in the same order",
                        differs->first, groups.front().first, ranks_text(groups.front().second),
                        groups.back().first, ranks_text(groups.back().second))};
  }

  // Ranks without an entry: of processes that are silent, or of those that are not.
  std::vector<u32> without_entry(bool silent) const {
    std::vector<u32> ranks;
    for (u32 rank = 0; rank < ranks_; ++rank) {
      const auto& all = survey_.silent;
      const bool is_silent = std::find(all.begin(), all.end(), survey_.members[rank]) != all.end();
      if (!entry_of(rank) && is_silent == silent) ranks.push_back(rank);
    }
    return ranks;
  }

  Diagnosis gone() const {
    const std::vector<u32> left = without_entry(false);
    if (left.empty()) return {};
    return {Kind::gone, Code::timed_out,
            fmt::format("{} not in call {}{}, and will not come: the communicator was destroyed "
                        "there",
                        is_what(left, "is", "are"), call_, in_brackets(called_))};
  }

  Diagnosis silent() const {
    const std::vector<u32> missing = without_entry(true);
    if (missing.empty()) return {};
    return {Kind::silent, Code::timed_out,
            fmt::format("{} of call {}{}: {} does not answer, so it is frozen, or its host or the "
                        "way to it is gone",
                        is_what(missing, "is missed", "are missed"), call_, in_brackets(called_),
                        describe_(survey_.members[missing.front()]))};
  }

  Diagnosis never_arrived() const {
    std::vector<u32> late;
    u64 least = ~u64{0};
    bool driven = false;
    for (const Entry& entry : entries_) {
      if (entry.made > call_) continue;
      late.push_back(entry.rank);
      least = std::min(least, entry.age_ms);
      driven |= entry.driven;
    }
    if (late.empty() || late.size() == entries_.size()) return {};
    return {Kind::never_arrived, Code::timed_out,
            fmt::format("{} never arrived in call {}{}: alive, and {}{}", ranks_text(late), call_,
                        in_brackets(called_),
                        driven ? "in no call" : "computing or stuck outside the library",
                        since(least))};
  }

  Diagnosis not_driven() const {
    for (const Entry& entry : entries_)
      if (entry.done == call_ && entry.made > call_ && !entry.driven)
        return {Kind::not_driven, Code::timed_out,
                fmt::format("rank {} has started call {}{} and left it alone for {}: it computes, "
                            "or is stuck outside the library, and nobody waits for the operation "
                            "there (WEFT_PROGRESS=thread would drive it)",
                            entry.rank, call_, in_brackets(called_), seconds_text(entry.age_ms))};
    return {};
  }

  // Everybody is there. Follow who waits for whom: to one that waits for nobody, or round a ring,
  // which what is in the way is a part of, since all others wait because of it. Of the ring the one
  // that has come least far is nearest to it: the others went on until they missed its part.
  Diagnosis stuck() const {
    const Entry* at = nullptr;
    u64 youngest = ~u64{0}, oldest = 0;
    for (const Entry& entry : entries_) {
      if (!is_stuck(&entry)) continue;
      youngest = std::min(youngest, entry.age_ms);
      oldest = std::max(oldest, entry.age_ms);
      if (!at || entry.moved < at->moved) at = &entry;
    }
    if (!at) return {};
    std::vector<const Entry*> walk;
    while (is_stuck(at) && std::find(walk.begin(), walk.end(), at) == walk.end()) {
      walk.push_back(at);
      at = entry_of(at->peers.front());
    }
    const Entry* before = walk.back();
    const auto ring = std::find(walk.begin(), walk.end(), at);
    for (auto in_ring = ring; in_ring != walk.end(); ++in_ring)
      if ((*in_ring)->moved < before->moved) before = *in_ring;
    const u32 peer = before->peers.front();
    if (youngest < still_moving_ms)
      return {Kind::slow, Code::timed_out,
              fmt::format("call {}{} is slow but still moves: rank {} waits for a slow peer, {}",
                          call_, in_brackets(called_), before->rank, before->waits)};
    return {Kind::path_silent, Code::timed_out,
            fmt::format("the path between ranks {} and {} is silent in call {}{}: both processes "
                        "are alive and in the call, and nothing has moved for {}: {}",
                        std::min(before->rank, peer), std::max(before->rank, peer), call_,
                        in_brackets(called_), seconds_text(oldest), before->waits)};
  }

  bool is_stuck(const Entry* entry) const {
    return entry && entry->done == call_ && entry->made > call_ && !entry->peers.empty();
  }
  static std::string in_brackets(const std::string& text) {
    return text.empty() ? text : " (" + text + ")";
  }
  static std::string is_what(const std::vector<u32>& ranks, const char* one, const char* several) {
    return ranks_text(ranks) + " " + (ranks.size() == 1 ? one : several);
  }
  const Entry* entry_of(u32 rank) const {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), rank,
                         [](const Entry& entry, u32 wanted) { return entry.rank < wanted; });
    return found != entries_.end() && found->rank == rank ? &*found : nullptr;
  }

  static constexpr u64 still_moving_ms = 1000;
  const Survey& survey_;
  std::vector<Entry> entries_;
  const u32 ranks_;
  const std::function<std::string(Process)>& describe_;
  u64 call_ = ~u64{0};  // the first that some rank has not ended
  std::string called_;
};

}  // namespace

Diagnosis diagnose(const Survey& survey, const std::function<std::string(Process)>& describe) {
  if (survey.entries.empty()) return {};
  return Doctor(survey, describe).examine();
}

}  // namespace weft::control
