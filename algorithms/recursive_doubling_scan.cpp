#include "algorithms/recursive_doubling_scan.hpp"

namespace weft::algorithms {

using Scan = RecursiveDoublingScan;

Scan::Round Scan::round(u32 k, const Round& before) const {
  Round r{.k = k};
  if (k) {
    r.sent = before.sent + before.steps(sending);
    r.received = before.received + before.steps(receiving);
    r.done_locally = before.done_locally + before.steps(local);
  }
  const bool is_right = place_.me >> k & 1;
  r.keeps = is_needed(2u << k);
  r.from_left = is_right;
  r.from_right = !is_right && r.keeps;
  r.sends = is_needed(1u << k);
  return r;
}

Scan::Round Scan::round_of(Role role, u32 i) const {
  Round r = round(0, {});
  const auto begin = [role](const Round& a) {
    return role == sending ? a.sent : role == receiving ? a.received : a.done_locally;
  };
  while (i >= begin(r) + r.steps(role)) r = round(r.k + 1, r);
  return r;
}

u32 Scan::size(Lane role) const {
  u32 steps = role == local && only_copies() ? 1 : 0;
  Round r;
  for (u32 k = 0; k < rounds(); ++k) {
    r = round(k, r);
    steps += r.steps(Role(role));
  }
  return steps;
}

Step Scan::at(Role role, u32 i) const {
  if (role == local && only_copies())  // in place this writes what others still read
    return place_.copy(span(place_.out), span(place_.in), place_.chunks,
                       place_.after(sending, size(sending)),
                       place_.after(receiving, size(receiving)));
  const Round r = round_of(role, i);
  const u32 peer = place_.me ^ (1u << r.k);
  if (role == sending) return place_.send(peer, interval(r.k), place_.chunks, interval_made(r));
  if (role == receiving) return r.from_left ? hear_left(r) : hear_right(r);
  return i == r.done_locally ? add_to_interval(r) : add_to_prefix(r);
}

// The sum of the interval of 2^k was made in the round before, here or by what came from the right.
Wait Scan::interval_made(const Round& r) const {
  if (r.k == 0) return place_.ready;
  return place_.me >> (r.k - 1) & 1 ? place_.after(local, r.done_locally)
                                    : place_.after(receiving, r.received);
}

Step Scan::hear_right(const Round& r) const {
  // The plane that this writes has been sent in the round before.
  return place_.recv_reduce(place_.me ^ (1u << r.k), interval(r.k + 1), interval(r.k),
                            place_.chunks, interval_made(r),
                            r.k > 1 ? place_.after(sending, r.sent) : Wait{});
}

Step Scan::hear_left(const Round& r) const {
  const u32 peer = place_.me ^ (1u << r.k), n = place_.chunks;
  // The third plane is free again once what came before has been added.
  if (r.lands())
    return place_.recv(peer, span(Buffer(place_.plane + 2)), n,
                       place_.after(local, r.done_locally));
  // In place, the first sum to be put before the prefix overwrites the input, which round 0 sends
  // and adds from.
  const Wait sent = place_.after(sending, r.sent + u32(r.sends)),
             heard = place_.after(receiving, r.received);
  if (is_first(r)) {
    if (!inclusive_) return place_.recv(peer, span(place_.out), n, sent, heard);
    return place_.recv_reduce(peer, span(place_.out), span(place_.in), n, sent, heard);
  }
  return place_.recv_reduce(peer, span(place_.out), span(place_.out), n,
                            place_.after(local, r.done_locally), heard);
}

Step Scan::add_to_interval(const Round& r) const {
  return place_.reduce(interval(r.k + 1), span(Buffer(place_.plane + 2)), interval(r.k),
                       place_.chunks, place_.after(receiving, r.received + 1),
                       r.k > 1 ? place_.after(sending, r.sent) : Wait{});
}

// After add_to_interval, which in place reads what this writes.
Step Scan::add_to_prefix(const Round& r) const {
  const Span theirs = span(Buffer(place_.plane + 2)), out = span(place_.out);
  const Wait came = place_.after(receiving, r.received + 1);
  const Wait sent = place_.after(sending, r.sent + u32(r.sends));
  if (!is_first(r)) return place_.reduce(out, theirs, out, place_.chunks, came, {});
  if (!inclusive_) return place_.copy(out, theirs, place_.chunks, came, sent);
  return place_.reduce(out, theirs, span(place_.in), place_.chunks, came, sent);
}

}  // namespace weft::algorithms
