#include "calls.hpp"

#include <fmt/format.h>

namespace differential {

namespace {

// One call in the form that the case asks for.
struct Out {
  Form form;
  weft_request_t request = nullptr;
  weft_operation_t operation = nullptr;
};

#define IN_FORM(name, ...)                                                                    \
  (to.form == Form::request   ? weft_##name##_start(__VA_ARGS__, comm, nullptr, &to.request)  \
   : to.form == Form::planned ? weft_##name##_init(__VA_ARGS__, comm, nullptr, &to.operation) \
                              : weft_##name(__VA_ARGS__, comm, nullptr))

weft_result_t even(const Case& c, weft_comm_t comm, Arena& a, Out& to) {
  const void* const in = a.input();
  void* const out = a.output();
  switch (c.collective) {
    case Collective::all_reduce: return IN_FORM(all_reduce, in, out, c.count, c.type, c.op);
    case Collective::reduce_scatter: return IN_FORM(reduce_scatter, in, out, c.count, c.type, c.op);
    case Collective::all_gather: return IN_FORM(all_gather, in, out, c.count, c.type);
    case Collective::broadcast: return IN_FORM(broadcast, in, out, c.count, c.type, c.root);
    case Collective::reduce: return IN_FORM(reduce, in, out, c.count, c.type, c.op, c.root);
    case Collective::gather: return IN_FORM(gather, in, out, c.count, c.type, c.root);
    case Collective::scatter: return IN_FORM(scatter, in, out, c.count, c.type, c.root);
    case Collective::all_to_all: return IN_FORM(all_to_all, in, out, c.count, c.type);
    case Collective::scan: return IN_FORM(scan, in, out, c.count, c.type, c.op);
    case Collective::exscan: return IN_FORM(exscan, in, out, c.count, c.type, c.op);
    default:
      return to.form == Form::request   ? weft_barrier_start(comm, nullptr, &to.request)
             : to.form == Form::planned ? weft_barrier_init(comm, nullptr, &to.operation)
                                        : weft_barrier(comm, nullptr);
  }
}

weft_result_t uneven(const Case& c, weft_comm_t comm, Arena& a, int ranks, Out& to) {
  const void* const in = a.input();
  void* const out = a.output();
  // Copies, which are gone when the call has returned: it has to have copied them.
  const std::vector<std::size_t> sends = a.in.count, sent_at = a.in.at, receives = a.out.count,
                                 received_at = a.out.at;
  const std::size_t* const s_at = c.gaps ? sent_at.data() : nullptr;
  const std::size_t* const r_at = c.gaps ? received_at.data() : nullptr;
  switch (c.collective) {
    case Collective::gatherv:
      return IN_FORM(gatherv, in, sends[0], out, receives.data(), r_at, c.type, c.root);
    case Collective::scatterv:
      return IN_FORM(scatterv, in, sends.data(), s_at, out, receives[0], c.type, c.root);
    case Collective::all_gatherv:
      return IN_FORM(all_gatherv, in, out, receives.data(), r_at, c.type);
    case Collective::reduce_scatterv:
      return IN_FORM(reduce_scatterv, in, out, sends.data(), s_at, c.type, c.op);
    case Collective::all_to_allv:
      return IN_FORM(all_to_allv, in, sends.data(), s_at, out, receives.data(), r_at, c.type);
    default: {
      std::vector<std::size_t> matrix;
      for (int from = 0; from < ranks; ++from)
        for (int peer = 0; peer < ranks; ++peer) matrix.push_back(elements(c, from, peer));
      return IN_FORM(all_to_allvc, in, out, matrix.data(), c.type);
    }
  }
}
#undef IN_FORM

}  // namespace

std::string make_calls(const Case& c, weft_comm_t comm, int rank, int ranks,
                       std::vector<std::unique_ptr<Arena>>& arenas) {
  std::vector<Out> outs(arenas.size(), Out{c.form});
  weft_result_t result = weft_ok;
  std::string what;
  const auto note = [&](weft_result_t r, const char* where) {
    if (r == weft_ok || !what.empty()) return;
    what = fmt::format("rank {}: {}: {}: {}", rank, where, weft_result_name(r), weft_last_error());
  };
  if (c.form == Form::group) note(weft_group_start(), "group_start");
  for (std::size_t i = 0; i < arenas.size() && what.empty(); ++i) {
    result = is_uneven(c.collective) ? uneven(c, comm, *arenas[i], ranks, outs[i])
                                     : even(c, comm, *arenas[i], outs[i]);
    note(result, "the call");
  }
  if (c.form == Form::group) note(weft_group_end(), "group_end");
  for (Out& out : outs)
    if (out.operation) note(weft_operation_start(out.operation, &out.request), "operation_start");
  for (Out& out : outs)
    if (out.request) note(weft_wait(&out.request, 0), "wait");
  for (Out& out : outs)
    if (out.operation) note(weft_operation_free(out.operation), "operation_free");
  return what;
}

}  // namespace differential
