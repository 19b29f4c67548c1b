// How a communicator comes to be: transports opened, manifests exchanged, routes drawn.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/config.hpp"
#include "base/log.hpp"
#include "intranode/shm/shm.hpp"
#include "net/fault/fault.hpp"
#include "net/loopback/loopback.hpp"
#include "net/tcp/tcp.hpp"
#include "runtime/communicator.hpp"
#include "runtime/limits.hpp"
#include "runtime/phases.hpp"
#include "runtime/timeline.hpp"
#include "runtime/version.hpp"

namespace weft::runtime {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "4026531840": equal in processes that see the same.
std::string namespace_of(const char* kind) {
  std::error_code error;
  const std::string text =
      std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", kind), error).string();
  const std::size_t begin = text.find('['), end = text.find(']');
  return begin == text.npos || end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Ranks that are threads of one process know each other by this. A forked child inherits the random
// part, so its own number belongs to it.
std::string process_name() {
  static const std::string token = [] {
    std::array<std::byte, 16> bytes;
    fill_random(bytes);
    return to_hex(bytes);
  }();
  return fmt::format("{}-{}", token, ::getpid());
}

Link link_of(Way way) {
  switch (way) {
    case Way::self: return {0, 0};
    case Way::loopback:
    case Way::shm: return {800, 150};
    case Way::tcp: return {15000, 500};
  }
  return {};
}

// What a fault rule sees of a notice.
std::optional<fault::Message> message_in(transport::Notice notice) {
  const auto said = channel::look(notice);
  if (!said) return std::nullopt;
  return fault::Message{said->call, said->bytes, said->inlined};
}

// Everyone's words, by rank.
template <class T>
Result<std::vector<T>> exchange(bootstrap::Bootstrap& bootstrap, const T& mine, Deadline deadline) {
  WEFT_ASSIGN(const auto blobs, bootstrap.exchange(mine.text(), deadline));
  std::vector<T> all;
  for (u32 rank = 0; rank < blobs.size(); ++rank) {
    WEFT_ASSIGN(all.emplace_back(), T::parse(rank, blobs[rank]));
  }
  return all;
}

// One rank says it for all.
void report_differences(const std::vector<Manifest>& manifests) {
  for (const Difference& difference : differences(manifests)) {
    if (difference.matters)
      log::warn("rank 0: {}", difference.text);
    else
      log::info("rank 0: {}", difference.text);
  }
}

}  // namespace

Result<Manifest> Communicator::introduce(bool is_split) {
  Manifest mine;
  mine.version = version_text();
  mine.host = first_line("/proc/sys/kernel/random/boot_id");
  mine.network = namespace_of("net");
  mine.pids = namespace_of("pid");
  mine.node = config_.node.empty() ? mine.host + "/" + mine.network : config_.node;
  mine.host_name = host_name();
  mine.process = process_name();
  mine.cores = executor::usable_cores();
  mine.algorithm = config_.algorithm;
  mine.order = config_.order;
  WEFT_ASSIGN(mine.rails, config::number(config::rails, 1, 64));
  mine.transport = config::text(config::transport);
  WEFT_ASSIGN(mine.frames, config::number(config::frames, 0, 64));
  WEFT_ASSIGN(mine.slots, config::number(config::slots, 0, 1024));
  WEFT_ASSIGN(mine.slot_bytes, config::number(config::slot_bytes, cache_line_bytes, u64{1} << 30));
  WEFT_ASSIGN(mine.slice_bytes, config::number(config::slice_bytes, 0, u64{1} << 40));
  WEFT_ASSIGN(mine.integrity, config::number(config::integrity, 0, 1));
  if (mine.integrity && mine.slots == 0)
    return fail(Code::invalid_argument, "{}=0 and {}=1 exclude each other", config::slots.name,
                config::integrity.name);
  mine.slot_bytes = mine.slot_bytes / cache_line_bytes * cache_line_bytes;
  // Before anybody asks: most jobs need no other way, and no second exchange then.
  if (ranks_ > 1 && (mine.transport == "auto" || mine.transport == name_of(Way::shm))) {
    WEFT_ASSIGN(shm_listener_, shm::Listener::open());
    mine.shm = shm_listener_->address();
  }
  WEFT_ASSIGN(mine.tcp_sockets, allowed_sockets());
  mine.pid = u64(::getpid());
  if (!is_split) tell_surroundings(mine);
  if (ranks_ > 1 && !is_split) { WEFT_ASSIGN(mine.control, control::Hub::here().name()); }
  return mine;
}

// For each peer of tcp; what is short is said.
Result<u64> Communicator::allowed_sockets() const {
  WEFT_ASSIGN(const tcp::Options options, tcp::Options::from_environment());
  const Provision provision = provide(read_limits(), ranks_, options.sockets);
  allow_files(provision.files);
  for (const std::string& word : provision.words) log::warn("rank {}: {}", rank_, word);
  return provision.sockets;
}

Status Communicator::conclude(const std::vector<Manifest>& manifests) {
  WEFT_TRY(agree(manifests));
  if (rank_ == 0) report_differences(manifests);
  const Manifest& mine = manifests[rank_];
  for (u32 peer = 0; peer < ranks_; ++peer) {
    if (peer == rank_) {
      ways_.push_back(Way::self);
      continue;
    }
    WEFT_ASSIGN(ways_.emplace_back(), way_between(mine, manifests[peer]));
    if (mine.slots == 0 && ways_.back() != Way::loopback)
      return fail(Code::invalid_argument,
                  "{}=0 works between threads of one process only, but ranks {} and {} are not",
                  config::slots.name, rank_, peer);
  }
  describe_world(manifests);
  // As many as the rank with the fewest can have.
  for (const Manifest& each : manifests) tcp_sockets_ = std::min(tcp_sockets_, each.tcp_sockets);
  // Enough slices in flight for the phases inside nodes and between them to run side by side.
  const u32 frames = world_.shape.nodes() > 1 ? 8 : 2;
  channels_ = {.frames = mine.frames ? u32(mine.frames) : frames,
               .slots = u32(mine.slots),
               .slot_bytes = u32(mine.slot_bytes),
               .integrity = mine.integrity != 0};
  world_.forced = config_.algorithm;
  WEFT_ASSIGN(world_.order, settle_order(mine.order, world_));
  info_.order = schedule::name_of(world_.order);
  world_.slice_bytes = mine.slice_bytes;
  // What a link costs is a guess by its kind, so that all ranks guess the same.
  world_.in_node = link_of(Way::shm);
  world_.between_nodes = link_of(Way::tcp);
  return {};
}

void Communicator::describe_world(const std::vector<Manifest>& manifests) {
  world_.shape = shape_of(manifests);
  world_.shape.rails = info_.rails = u32(manifests[rank_].rails);
  const schedule::Shape& shape = world_.shape;
  const u32 seat = shape.seat_of(rank_);
  info_.node = shape.node_of_seat(seat);
  info_.nodes = shape.nodes();
  info_.local_rank = seat - shape.base(info_.node);
  info_.local_ranks = shape.size[info_.node];
  info_.node_name = manifests[rank_].node;
  info_.shape = shape.text();
  info_.in_node = info_.between_nodes = "none";
  for (u32 peer = 0; peer < ranks_; ++peer) {
    if (peer == rank_) continue;
    std::string& way =
        manifests[peer].node == info_.node_name ? info_.in_node : info_.between_nodes;
    if (way == "none" || ways_[peer] != Way::loopback) way = name_of(ways_[peer]);
  }
  crowded_ = is_crowded(rank_, manifests);
}

Result<Addresses> Communicator::open_transports(const Secret& job) {
  const auto needed = [&](Way way) {
    return std::find(ways_.begin(), ways_.end(), way) != ways_.end();
  };
  WEFT_ASSIGN(const auto faults,
              fault::Plan::parse(config::text(config::fault), {"loopback", "shm", "tcp"}));
  const auto wrap = [&](std::unique_ptr<transport::Transport>& one) -> Status {
    const fault::Rules rules = faults.rules(one->name(), rank_);
    WEFT_ASSIGN(one, fault::wrap(std::move(one), rules, rank_, message_in));
    return {};
  };
  Addresses mine;
  if (needed(Way::loopback)) {
    WEFT_ASSIGN(loopback_, loopback::create(job, rank_, ranks_));
    WEFT_TRY(wrap(loopback_));
    if (channels_.slots == 0 && loopback_->posts_every_byte())
      return fail(Code::invalid_argument, "{}=0 and a fault of loopback in {} exclude each other",
                  config::slots.name, config::fault.name);
    mine.loopback = loopback_->address();
  }
  if (needed(Way::shm)) {
    WEFT_ASSIGN(shm_, shm::create(job, rank_, ranks_, std::move(*shm_listener_)));
    WEFT_TRY(wrap(shm_));
  }
  shm_listener_.reset();
  if (needed(Way::tcp)) {
    WEFT_ASSIGN(tcp::Options options, tcp::Options::from_environment());
    options.sockets = transport::Rail(tcp_sockets_);
    WEFT_ASSIGN(tcp_, tcp::create({.job = job, .rank = rank_, .ranks = ranks_}, options));
    WEFT_TRY(wrap(tcp_));
    mine.tcp = tcp_->address();
  }
  if (needed(Way::tcp)) { WEFT_ASSIGN(mine.control, control::Hub::here().contact()); }
  return mine;
}

// From here on a rank that is lost is missed, and so is this one.
Status Communicator::oversee(std::optional<Oversight::Job> job,
                             const std::vector<Manifest>& manifests,
                             const std::vector<Addresses>& addresses) {
  if (ranks_ == 1) return {};
  if (!job) { WEFT_ASSIGN(job, Oversight::plan(manifests, addresses, rank_, secret_)); }
  WEFT_ASSIGN(oversight_, Oversight::begin(*job, secret_, rank_, *engine_));
  return {};
}

// `addresses`: empty where manifests suffice.
Result<std::vector<channel::Route>> Communicator::routes(
    const std::vector<Manifest>& manifests, const std::vector<Addresses>& addresses) const {
  std::vector<channel::Route> routes;
  for (u32 peer = 0; peer < ranks_; ++peer) switch (ways_[peer]) {
      case Way::self: routes.emplace_back(); break;
      case Way::loopback: routes.push_back({loopback_.get(), addresses[peer].loopback}); break;
      case Way::shm: routes.push_back({shm_.get(), manifests[peer].shm}); break;
      case Way::tcp: routes.push_back({tcp_.get(), addresses[peer].tcp}); break;
    }
  return routes;
}

Result<std::unique_ptr<Communicator>> Communicator::create(
    std::unique_ptr<bootstrap::Bootstrap> bootstrap, const Config& config, Deadline deadline,
    TimePoint began, std::optional<Oversight::Job> job) {
  Phases phases(began);
  phases.end("rendezvous");
  std::unique_ptr<Communicator> made(
      new Communicator(bootstrap->rank(), bootstrap->ranks(), config));
  WEFT_ASSIGN(const Manifest mine, made->introduce(job.has_value()));
  WEFT_ASSIGN(const auto manifests, exchange(*bootstrap, mine, deadline));
  made->met_at_ = Clock::now();
  WEFT_TRY(made->conclude(manifests));
  phases.end("manifests");
  made->secret_ = bootstrap->secret();
  const Secret transport = made->secret_.derive("transport");
  made->job_name_ = to_hex(std::span(made->secret_.derive("name").bytes()).first(4));
  WEFT_ASSIGN(const Addresses own, made->open_transports(transport));
  phases.end("transports");
  std::vector<Addresses> addresses;
  if (!manifests_suffice(manifests)) {
    WEFT_ASSIGN(addresses, exchange(*bootstrap, own, deadline));
    made->met_at_ = Clock::now();
    phases.end("addresses");
  }
  WEFT_ASSIGN(auto routes, made->routes(manifests, addresses));
  made->engine_ = std::make_unique<executor::Engine>(
      executor::Settings{.rank = made->rank_,
                         .channels = made->channels_,
                         .routes = std::move(routes),
                         .describe = describe,
                         .trace = config::is_set(config::trace),
                         .times = config::is_set(config::timeline),
                         .consult = [c = made.get()](const Error& error, u32 origin, u64 call) {
                           return c->consult(error, origin, call);
                         }});
  WEFT_TRY(made->oversee(std::move(job), manifests, addresses));
  made->shared_.emplace(made->shm_.get());
  made->planner_ = std::make_unique<Planner>(made->world_, made->rank_, made->engine_->fabric());
  made->waiter_ = std::make_unique<executor::Waiter>(made->crowded_);
  if (config.progress_thread) {
    WEFT_ASSIGN(made->thread_,
                ProgressThread::make(*made->engine_, made->crowded_,
                                     [c = made.get()](Request& request) { c->begin(request); }));
  }
  phases.end("engine");
  log::info(
      "rank {}: joined {} ranks, nodes {}, {} in the node, {} between nodes, in {}; connections "
      "are made when first used",
      made->rank_, made->ranks_, made->info_.shape, made->info_.in_node, made->info_.between_nodes,
      phases.text());
  return made;
}

template <class Write>
void Communicator::write_record(const config::Variable& where, const char* ending,
                                Write write) const {
  if (!config::is_set(where)) return;
  const std::filesystem::path folder = std::filesystem::path(config::text(where)) / job_name_;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::ofstream file(folder / fmt::format("rank-{}.{}", rank_, ending));
  write(file);
  if (!file.flush())
    log::error("rank {}: cannot write the record of {} to {}", rank_, where.name, folder.string());
}

void Communicator::write_trace() const {
  const executor::Tracer* const tracer = engine_ ? engine_->tracer() : nullptr;
  if (!tracer) return;
  write_record(config::trace, "trace",
               [&](std::ostream& to) { schedule::write(to, tracer->trace()); });
  if (!tracer->timeline()) return;
  const schedule::Shape& shape = world_.shape;
  const TimelineOf mine{
      .rank = rank_,
      .ranks = ranks_,
      .communicator = job_name_,
      .host = first_line("/proc/sys/kernel/random/boot_id"),
      .node = info_.node_name,
      .origin = met_at_.time_since_epoch().count(),
      .in_node = [&](u32 peer) { return shape.node_of_seat(shape.seat_of(peer)) == info_.node; }};
  write_record(config::timeline, "json",
               [&](std::ostream& to) { write(to, mine, *tracer->timeline()); });
}

}  // namespace weft::runtime
