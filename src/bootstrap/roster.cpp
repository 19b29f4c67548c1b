#include "bootstrap/roster.hpp"

#include <algorithm>

#include "bootstrap/ranks_text.hpp"
#include "bootstrap/tree.hpp"

namespace weft::bootstrap {

Roster::Roster(u32 ranks, const Hello& root) : ranks_(ranks), position_of_(ranks, absent) {
  WEFT_ASSERT(root.rank < ranks);
  entries_.push_back({root.rank, root.instance, root.contact, "the root"});
  position_of_[root.rank] = 0;
}

Answer Roster::place_of(u32 position) const {
  const Entry& parent = entries_[parent_of(position)];
  return {.rank = parent.rank, .position = position, .parent = parent.contact};
}

Answer Roster::admit(const Hello& hello, const Address& from) {
  const auto refuse = [](std::string text) {
    return Answer{.error = {Code::invalid_argument, std::move(text)}};
  };
  if (hello.ranks != ranks_)
    return refuse(fmt::format("rank {} (from {}) says the job has {} ranks, rank {} says {}",
                              hello.rank, from.ip.text(), hello.ranks, entries_[0].rank, ranks_));
  if (hello.rank >= ranks_)
    return refuse(fmt::format("rank {} (from {}) is out of range: a job of {} ranks has 0 to {}",
                              hello.rank, from.ip.text(), ranks_, ranks_ - 1));
  const u32 known = position_of_[hello.rank];
  if (known != absent) {
    const Entry& first = entries_[known];
    if (first.instance == hello.instance) return place_of(known);
    return refuse(
        fmt::format("two processes or threads joined as rank {}: one from {}, one from {}",
                    hello.rank, first.from, from.text()));
  }
  const u32 position = static_cast<u32>(entries_.size());
  entries_.push_back({hello.rank, hello.instance, hello.contact, from.text()});
  position_of_[hello.rank] = position;
  return place_of(position);
}

bool Roster::is_unheard(u32 rank, const Heard& heard) const {
  const u32 position = position_of_[rank];
  return position != absent && !heard.of(rank) && !heard.of(rank_at(parent_of(position)));
}

bool Roster::has_silent_descendant(u32 rank, const Heard& heard) const {
  for (u32 below = 0; below < entries_.size(); ++below) {
    if (heard.contributed[rank_at(below)]) continue;
    for (u32 at = below; at != 0; at = parent_of(at))
      if (rank_at(parent_of(at)) == rank) return true;
  }
  return false;
}

std::string Roster::missing(const Heard& heard, const std::string& what, Duration waited) const {
  // A rank is silent for sure if its parent in the tree is heard: contributions pass a rank only
  // when it takes part itself. Those behind a silent rank could not be heard either way. One that
  // took part and then fell silent matters if there is somebody behind it.
  std::vector<u32> never_came, silent, fell_silent, unheard;
  for (u32 rank = 0; rank < ranks_; ++rank) {
    if (position_of_[rank] == absent)
      never_came.push_back(rank);
    else if (!heard.contributed[rank])
      (is_unheard(rank, heard) ? unheard : silent).push_back(rank);
    else if (!heard.present[rank] && !is_unheard(rank, heard) && has_silent_descendant(rank, heard))
      fell_silent.push_back(rank);
  }
  const auto sentence = [&](const std::vector<u32>& who, const char* how, const char* also = "") {
    return fmt::format("{} {} {}{}{} after {}", ranks_text(who), who.size() == 1 ? "has" : "have",
                       how, what, also, seconds_text(waited));
  };
  if (!never_came.empty()) return sentence(never_came, "not ");
  std::string text;
  if (!silent.empty()) text = sentence(silent, "not ");
  if (!fell_silent.empty())
    text +=
        (text.empty() ? "" : "; ") +
        sentence(fell_silent, "",
                 fell_silent.size() == 1 ? " and is not heard from" : " and are not heard from");
  if (!unheard.empty())
    text += fmt::format(" ({}, behind in the tree, could not be heard)", ranks_text(unheard));
  return text;
}

}  // namespace weft::bootstrap
