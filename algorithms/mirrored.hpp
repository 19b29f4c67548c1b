// Reduce-scatter in rounds, all-gather as the same rounds backwards, all-reduce as one after the
// other: what circulant, pat and swing share.
//
// An algorithm says in `exchange(k)` which chunks round k gives away and which it keeps. Going
// forwards it sends the partial sums of what it gives and adds what it hears to what it keeps;
// going backwards every message returns, with the result. What is given is never kept again, so
// only the results that come back must wait for what was sent.
//
// `Steps` has rounds(), exchange(k), and own(), the chunk that is kept at the end. Where positions
// are odd in number one chunk may be given before anything was added to it: unsummed(), given in
// round unsummed_round() (0: there is none). Alone in its message it goes from the input; else it
// is first copied to where the sums are.
#pragma once
#include "algorithms/place.hpp"
#include "schedule/collective.hpp"

namespace weft::algorithms {

// Forwards: to `to` the chunks from `gives` on, from `from` the sums of the chunks from `keeps` on.
struct Exchange {
  u32 to, from, gives, keeps, count, stride = 0;
};

template <class Steps>
class Mirrored : public Lazy<Mirrored<Steps>> {
 public:
  Mirrored(schedule::Kind kind, const Place& place)
      : Lazy<Mirrored>(place),
        reduces_(kind != schedule::Kind::all_gather),
        gathers_(kind != schedule::Kind::reduce_scatter) {}

  u32 size(Lane role) const {
    if (role == local) return copies() ? 1 : 0;
    return (u32(reduces_) + u32(gathers_)) * steps().rounds();
  }

  Step at(Role role, u32 i) const {
    const u32 rounds = steps().rounds();
    if (role == local) {
      const u32 chunk = reduces_ ? steps().unsummed() : steps().own();
      return place_.copy(algorithms::at(reduces_ ? place_.work : place_.out, chunk),
                         algorithms::at(place_.in, chunk), 1);
    }
    if (reduces_ && i < rounds) return role == sending ? give(i) : keep(i);
    const Exchange e = steps().exchange(rounds - 1 - (reduces_ ? i - rounds : i));
    if (role == sending) {
      const Wait first = copies() ? place_.after(local, 1) : place_.ready;
      return place_.send(e.from, span(place_.out, e.keeps, e), e.count,
                         i ? place_.after(receiving, i) : first);
    }
    // Results overwrite what was given: the first waits for that, the rest inherit it.
    return place_.recv(e.to, span(place_.out, e.gives, e), e.count,
                       reduces_ && i == rounds ? place_.after(sending, rounds) : Wait{});
  }

  Done done() const {
    return {place_.after(receiving, size(receiving)),
            reduces_ ? Wait{} : place_.after(local, size(local))};
  }

 protected:
  using Lazy<Mirrored>::place_;

 private:
  const Steps& steps() const { return static_cast<const Steps&>(*this); }
  static Span span(Buffer buffer, u32 first, const Exchange& e) {
    return algorithms::at(buffer, first, e.count > 1 ? e.stride : 0);
  }
  bool copies() const {
    if (!reduces_) return place_.in != place_.out;
    const u32 k = steps().unsummed_round();
    return k && steps().exchange(k).count > 1 && place_.in != place_.work;
  }

  Step give(u32 k) const {
    const Exchange e = steps().exchange(k);
    const bool unsummed = k && k == steps().unsummed_round();
    if (k == 0 || (unsummed && e.count == 1))
      return place_.send(e.to, span(place_.in, e.gives, e), e.count);
    Step s = place_.send(e.to, span(place_.work, e.gives, e), e.count, place_.after(receiving, k));
    if (unsummed && copies()) s.set_wait(1, place_.after(local, 1));
    return s;
  }
  Step keep(u32 k) const {
    const Exchange e = steps().exchange(k);
    const Buffer to = k + 1 == steps().rounds() ? place_.out : place_.work;
    return place_.recv_reduce(e.from, span(to, e.keeps, e),
                              span(k ? place_.work : place_.in, e.keeps, e), e.count,
                              place_.after(receiving, k));
  }

  bool reduces_, gathers_;
};

}  // namespace weft::algorithms
