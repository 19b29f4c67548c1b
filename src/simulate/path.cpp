#include "simulate/path.hpp"

namespace weft::simulate {

const char* name_of(Term term) {
  switch (term) {
    case Term::call: return "call launch";
    case Term::frames: return "frames";
    case Term::issue: return "issue";
    case Term::overhead: return "overhead";
    case Term::doorbell: return "doorbell";
    case Term::latency: return "latency";
    case Term::signalling: return "signalling";
    case Term::intra_bandwidth: return "intra bandwidth";
    case Term::inter_bandwidth: return "inter bandwidth";
    case Term::launch: return "kernel launch";
    case Term::reduction: return "reduction";
    case Term::copy: return "copy";
  }
  return "?";
}

std::array<Time, terms> Path::by_term(u32 last) const {
  std::array<Time, terms> sum{};
  for (u32 i = last; i; i = moments_[i].cause)
    sum[std::size_t(moments_[i].term)] += moments_[i].time - moments_[moments_[i].cause].time;
  return sum;
}

u32 Path::frame_waits(u32 last) const {
  u32 waits = 0;
  for (u32 i = last; i; i = moments_[i].cause) waits += moments_[i].handed_over;
  return waits;
}

}  // namespace weft::simulate
