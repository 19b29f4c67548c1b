// One case of the differential test: a call that all ranks make, drawn from a number.
//
// Everything a rank does follows from the case and its rank, so a case can be printed, made again
// and made smaller. Threads: values.
#pragma once
#include <weft/weft.h>

#include <cstdint>
#include <string>
#include <vector>

namespace differential {

enum class Collective {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  barrier,
  reduce,
  gather,
  scatter,
  all_to_all,
  scan,
  exscan,
  gatherv,
  scatterv,
  all_gatherv,
  reduce_scatterv,
  all_to_allv,
  all_to_allvc,
};
inline constexpr int collectives = 17;
bool is_uneven(Collective collective);
bool reduces(Collective collective);
bool has_root(Collective collective);

enum class Form { blocking, request, planned, group };
inline constexpr int forms = 4;

struct Case {
  std::uint64_t seed = 0;  // of the data, the counts and the gaps
  Collective collective = Collective::all_reduce;
  weft_datatype_t type = weft_int32;
  weft_op_t op = weft_sum;
  std::size_t count = 0;  // of uneven blocks: the most
  int root = 0;
  bool in_place = false;
  bool gaps = false;  // between uneven blocks
  bool lent = false;  // buffers that peers map
  Form form = Form::blocking;
  int in_flight = 1;  // calls at once
  int world = 0;      // which communicator: they differ in how ranks are dealt out to nodes

  std::string text() const;
};

// Case number `index` of a run.
Case draw(std::uint64_t seed, std::uint64_t index, int ranks, int worlds);
// Cases that are smaller in one respect each, the boldest first.
std::vector<Case> smaller(const Case& from);

// Elements that rank `from` gives to rank `to`, in uneven collectives: often none.
std::size_t elements(const Case& c, int from, int to);

// A hash as a source of numbers that all ranks agree on.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace differential
