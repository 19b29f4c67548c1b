// Random calls, each compared with what MPI gives: mpirun -n RANKS test_mpi_differential.
//
// All ranks draw the same cases from one seed. A case that fails is made smaller as long as it
// still fails, and printed with what to run to see it again.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "calls.hpp"

using namespace differential;

namespace {

int rank = 0, ranks = 1;

// How ranks are dealt out to nodes, and what else tells one communicator from another.
struct World {
  const char* about;
  int (*node)(int rank);
  const char* algorithm = nullptr;
  int progress_thread = 0;
};
constexpr World worlds[] = {
    {"one node", [](int) { return 0; }},
    {"nodes of 2", [](int r) { return r / 2; }},
    {"a node of 1, and the rest", [](int r) { return int(r > 0); }},
    {"ranks dealt out in turn", [](int r) { return r % 2; }},
    {"one node, trees", [](int) { return 0; }, "binomial"},
    {"one node, Bruck", [](int) { return 0; }, "bruck"},
    {"one node, pairwise", [](int) { return 0; }, "pairwise"},
    {"nodes of 2, by rails", [](int r) { return r / 2; }, "direct/pairwise"},
    {"nodes of 2, trees", [](int r) { return r / 2; }, "binomial/binomial"},
    {"nodes of 2, a thread of the library", [](int r) { return r / 2; }, nullptr, 1},
};
constexpr int world_count = int(std::size(worlds));
weft_comm_t comms[world_count];

void require(weft_result_t result, const char* what) {
  if (result == weft_ok) return;
  fmt::print(stderr, "rank {}: {}: {}\n", rank, what, weft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void open(int i) {
  weft_unique_id_t id;
  if (rank == 0) require(weft_get_unique_id(&id), "weft_get_unique_id");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  const std::string node = fmt::format("node{}", worlds[i].node(rank));
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.node = node.c_str();
  config.algorithm = worlds[i].algorithm;
  config.timeout_seconds = 20;
  config.progress_thread = worlds[i].progress_thread;
  require(weft_comm_create(&comms[i], ranks, rank, &id, &config), worlds[i].about);
}

void reopen(int i) {
  weft_comm_destroy(comms[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  open(i);
}

// Empty where it is right on all ranks; else what the lowest that is wrong has seen.
std::string run(const Case& c) {
  std::vector<std::unique_ptr<Arena>> arenas;
  for (int flight = 0; flight < c.in_flight; ++flight) {
    arenas.push_back(std::make_unique<Arena>(c, rank, ranks, flight));
    arenas.back()->expect();
  }
  std::string wrong = make_calls(c, comms[c.world], rank, ranks, arenas);
  for (const auto& arena : arenas)
    if (wrong.empty()) wrong = arena->check();
  struct {
    int fine, rank;
  } mine{wrong.empty() ? 1 : 0, rank}, least{};
  MPI_Allreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
  if (least.fine) return {};
  char text[2048] = {};
  if (rank == least.rank) wrong.copy(text, sizeof text - 1);
  MPI_Bcast(text, sizeof text, MPI_CHAR, least.rank, MPI_COMM_WORLD);
  reopen(c.world);  // an error has poisoned it
  return text;
}

void shrink(Case c, std::string wrong) {
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    for (const Case& next : smaller(c)) {
      const std::string again = run(next);
      if (again.empty()) continue;
      c = next, wrong = again, shrinks = true;
      break;
    }
  }
  if (rank == 0) fmt::print("the smallest that fails: {}\n  {}\n", c.text(), wrong);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::uint64_t seed = std::uint64_t(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t cases = 2000, only = ~std::uint64_t{0};
  CLI::App app("Random collectives, compared with MPI's.");
  app.add_option("--seed", seed, "the cases follow from it; by the clock without");
  app.add_option("--cases", cases, "how many");
  app.add_option("--only", only, "this one alone, by its number");
  CLI11_PARSE(app, argc, argv);
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int i = 0; i < world_count; ++i) open(i);
  int failed = 0;
  std::uint64_t made = 0;
  for (std::uint64_t i = 0; i < cases && !failed; ++i) {
    if (only != ~std::uint64_t{0} && i != only) continue;
    const Case c = draw(seed, i, ranks, world_count);
    ++made;
    const std::string wrong = run(c);
    if (wrong.empty()) continue;
    failed = 1;
    if (rank == 0)
      fmt::print("--seed {} --only {} on {} ranks differs from MPI: {}, {}\n  {}\n", seed, i, ranks,
                 c.text(), worlds[c.world].about, wrong);
    shrink(c, wrong);
  }
  for (weft_comm_t& comm : comms) weft_comm_destroy(comm);
  if (rank == 0 && !failed)
    fmt::print("{} cases from seed {} on {} ranks: all as MPI has them\n", made, seed, ranks);
  MPI_Finalize();
  return failed;
}
