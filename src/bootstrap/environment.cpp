#include "bootstrap/environment.hpp"

#include <charconv>
#include <cstdlib>

#include "base/config.hpp"
#include "bootstrap/secret_file.hpp"
#include "bootstrap/wire.hpp"

namespace weft::bootstrap {
namespace {

constexpr u32 spare_ports = 8;

constexpr const char* advice =
    "Start the ranks with mpirun or srun --mpi=pmix (and a Weft built with PMIx), with torchrun "
    "(RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), or with WEFT_UNIQUE_ID, RANK and WORLD_SIZE; "
    "for a job of one rank on purpose, set RANK=0 and WORLD_SIZE=1";

Result<u32> number(const char* name, const std::string& text, u32 most) {
  u32 value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value > most)
    return fail(Code::invalid_argument, "{}={} is not a whole number from 0 to {}", name, text,
                most);
  return value;
}

Result<std::string> required(const Environment& environment, const char* name, const char* given) {
  if (auto value = environment(name)) return *value;
  return fail(Code::invalid_argument, "{} is set but {} is not: a rank needs both. {}", given, name,
              advice);
}

struct Place {
  u32 rank, ranks;
};

Result<Place> rank_and_size(const Environment& environment, const char* given) {
  WEFT_ASSIGN(const auto rank_text, required(environment, "RANK", given));
  WEFT_ASSIGN(const auto ranks_text, required(environment, "WORLD_SIZE", given));
  constexpr u32 most = 1u << 30;
  WEFT_ASSIGN(const u32 rank, number("RANK", rank_text, most));
  WEFT_ASSIGN(const u32 ranks, number("WORLD_SIZE", ranks_text, most));
  if (rank >= ranks)
    return fail(Code::invalid_argument, "RANK={} is not below WORLD_SIZE={}", rank, ranks);
  return Place{rank, ranks};
}

Result<Decision> use_id(const Environment& environment, const std::string& text) {
  WEFT_ASSIGN(const Place place, rank_and_size(environment, config::unique_id.name));
  auto id = UniqueId::from_text(text);
  if (!id) return fail(id.error().code, "{}: {}", config::unique_id.name, id.error().text);
  return UseId{*id, place.rank, place.ranks};
}

Result<std::string> secret_of(const Environment& environment) {
  const auto written = environment(config::secret.name),
             file = environment(config::secret_file.name);
  if (written && file)
    return fail(Code::invalid_argument, "{} and {} are both set: one of them must go",
                config::secret.name, config::secret_file.name);
  if (file) return read_secret_file(*file);
  return written.value_or("");
}

Result<Decision> use_master(const Environment& environment, const char* given) {
  WEFT_ASSIGN(const Place place, rank_and_size(environment, given));
  if (place.ranks == 1) return UseAlone{};
  WEFT_ASSIGN(const auto host, required(environment, "MASTER_ADDR", "WORLD_SIZE"));
  WEFT_ASSIGN(const auto port_text, required(environment, "MASTER_PORT", "WORLD_SIZE"));
  WEFT_ASSIGN(const u32 port, number("MASTER_PORT", port_text, 65535));
  if (port == 0) return fail(Code::invalid_argument, "MASTER_PORT=0 is no port to meet at");
  UseMaster master{.host = host,
                   .ports = {},
                   .secret = Secret(Secret::Bytes{}),
                   .rank = place.rank,
                   .ranks = place.ranks};
  // torchrun's agent keeps its own store on MASTER_PORT and then says so.
  const bool taken = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  for (u32 p = port + taken; p <= port + spare_ports && p <= 65535; ++p)
    master.ports.push_back(static_cast<u16>(p));
  WEFT_ASSIGN(const std::string secret, secret_of(environment));
  // The launcher gives no secret. Without WEFT_SECRET this keeps jobs apart, not enemies out.
  master.secret = master.secret.derive(fmt::format(
      "{}\n{}\n{}\n{}", host, port, environment("TORCHELASTIC_RUN_ID").value_or(""), secret));
  return master;
}

// Launchers that give no rendezvous this library knows, by the variables they leave.
struct Trace {
  const char* size;  // of the job; or
  const char* rank;  // a rank, when there is no size
};
constexpr Trace traces[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
    {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
    {"PALS_NRANKS", "PALS_RANKID"},
    {"SLURM_STEP_NUM_TASKS", nullptr},
};

Status refuse(const char* name, const std::string& value) {
  return fail(
      Code::invalid_argument,
      "{}={} says that a launcher has started several ranks, but there is no rendezvous for "
      "them. {}",
      name, value, advice);
}

Status refuse_lost_ranks(const Environment& environment) {
  for (const Trace& trace : traces) {
    if (const auto size = environment(trace.size)) {
      if (*size != "1") return refuse(trace.size, *size);
    } else if (const auto rank = trace.rank ? environment(trace.rank) : std::nullopt) {
      return refuse(trace.rank, *rank);
    }
  }
  // SLURM_NTASKS alone is also seen by a shell of salloc, which is no task.
  if (environment("SLURM_PROCID") && !environment("SLURM_STEP_NUM_TASKS"))
    if (const auto tasks = environment("SLURM_NTASKS"); tasks && *tasks != "1")
      return refuse("SLURM_NTASKS", *tasks);
  return {};
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (!value || !*value) return std::nullopt;
    return value;
  };
}

Result<Decision> decide(const Environment& environment,
                        const std::function<std::string()>& pmix_missing) {
  if (const auto id = environment(config::unique_id.name)) return use_id(environment, *id);
  const char* const torch = environment("RANK")         ? "RANK"
                            : environment("WORLD_SIZE") ? "WORLD_SIZE"
                                                        : nullptr;
  // torchrun started by srun or mpirun: the PMIx variables are then those of torchrun's agent, the
  // same for all of its ranks.
  const bool torchrun = torch && environment("TORCHELASTIC_RUN_ID");
  const bool pmix = environment("PMIX_RANK") && environment("PMIX_NAMESPACE") && !torchrun;
  const std::string missing = pmix ? pmix_missing() : std::string();
  if (pmix && missing.empty()) return UsePmix{};
  if (torch) return use_master(environment, torch);
  if (pmix)
    return fail(Code::unsupported, "PMIX_RANK={} says that a launcher offers PMIx, but {}. {}",
                *environment("PMIX_RANK"), missing, advice);
  WEFT_TRY(refuse_lost_ranks(environment));
  return UseAlone{};
}

}  // namespace weft::bootstrap
