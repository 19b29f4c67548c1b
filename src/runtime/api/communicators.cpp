// Making, splitting, asking, aborting and leaving communicators.
#include <algorithm>
#include <cstring>

#include "base/asymmetric_fence.hpp"
#include "bootstrap/bootstrap.hpp"
#include "runtime/api/api.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;

namespace {

std::string text_or_empty(const char* text) { return text ? text : ""; }

// What the caller gave, or nothing, as if by an initialiser of this version.
Result<weft_config_t> read(const weft_config_t* given) {
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  if (given) {
    if (given->size < sizeof(size_t) || given->size > 4096)
      return fail(Code::invalid_argument, "config.size is {}: start from WEFT_CONFIG_INITIALIZER",
                  given->size);
    // An older caller's may be shorter.
    std::memcpy(&config, given, std::min(given->size, sizeof config));
  }
  if (config.version / 10000 != WEFT_VERSION_MAJOR)
    return fail(Code::invalid_argument,
                "config.version is {}: start from WEFT_CONFIG_INITIALIZER of a weft.h of version "
                "{}.x",
                config.version, WEFT_VERSION_MAJOR);
  if (!(config.timeout_seconds >= 0))
    return fail(Code::invalid_argument,
                "config.timeout_seconds is {}: 0 for WEFT_TIMEOUT, else above 0",
                config.timeout_seconds);
  return config;
}

Result<Config> complete_config(const weft_config_t* given) {
  WEFT_ASSIGN(const weft_config_t config, read(given));
  return complete({.node = text_or_empty(config.node),
                   .algorithm = text_or_empty(config.algorithm),
                   .order = text_or_empty(config.order),
                   .timeout_seconds = config.timeout_seconds,
                   .blocking = config.blocking != 0},
                  config.timeout_seconds > 0, config.progress_thread);
}

// What a split leaves open is as in the parent.
Result<Config> inherit(const Config& parent, const weft_config_t* given) {
  if (!given) return parent;
  WEFT_ASSIGN(const weft_config_t config, read(given));
  Config made = parent;
  if (config.algorithm) made.algorithm = config.algorithm;
  if (config.order) made.order = config.order;
  if (config.timeout_seconds > 0) made.timeout_seconds = config.timeout_seconds;
  if (config.progress_thread >= 0) made.progress_thread = config.progress_thread > 0;
  made.blocking = config.blocking != 0;
  return made;
}

// Makes a member now, at the end of the group, or on a thread of its own.
Status make_member(weft_comm_t* comm, bool blocking, Member* parent, Member::Make make) {
  if (!blocking) {
    WEFT_ASSIGN(auto member, Member::being_made(std::move(make), parent));
    *comm = reinterpret_cast<weft_comm_t>(member.release());
    return fail(Code::in_progress, "the communicator is being made");
  }
  const auto job = [comm, make = std::move(make)]() -> Status {
    WEFT_ASSIGN(std::unique_ptr<Member> member, Member::made(make));
    if (!member->is_empty()) *comm = reinterpret_cast<weft_comm_t>(member.release());
    return {};
  };
  Group& group = Group::of_this_thread();
  if (!group.is_open()) return job();
  group.create(parent, job);
  return {};
}

template <class Join>
weft_result_t create(weft_comm_t* comm, const weft_config_t* given, Join join) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    *comm = nullptr;
    WEFT_ASSIGN(const Config config, complete_config(given));
    register_for_heavy_fences_if_cheap();  // ways to meet may start threads
    return make_member(comm, config.blocking, nullptr,
                       [config, join]() -> Result<std::unique_ptr<Communicator>> {
                         const TimePoint began = Clock::now();
                         const Deadline deadline = in_seconds(config.timeout_seconds);
                         WEFT_ASSIGN(auto met, join(deadline));
                         return Communicator::create(std::move(met), config, deadline, began);
                       });
  });
}

// What is wrong with a colour or a configuration is told to the other ranks, which wait for this
// one.
weft_result_t split(weft_comm_t comm, int color, int key, weft_comm_t* made,
                    const weft_config_t* given) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const parent, use(comm));
    Result<Config> config = inherit(parent->config(), given);
    if (color < WEFT_NO_COLOR)
      config = fail(Code::invalid_argument, "color {} is below 0 and not WEFT_NO_COLOR ({})", color,
                    WEFT_NO_COLOR);
    weft_comm_t nowhere = nullptr;
    if (const Status there = need(made, "made"); !there) {
      config = fail(there.error());
      made = &nowhere;
    }
    *made = nullptr;
    const auto joins = color < 0 ? std::nullopt : std::optional(u32(color));
    return make_member(made, !config || config->blocking, object(comm),
                       [=] { return parent->split(joins, key, config); });
  });
}

}  // namespace

extern "C" {

weft_result_t weft_comm_create(weft_comm_t* comm, int ranks, int rank, const weft_unique_id_t* id,
                               const weft_config_t* config) {
  if (comm) *comm = nullptr;
  if (const Status there = need(id, "id"); !there) return report(there);
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return report(
        Status(fail(Code::invalid_argument, "rank {} of {} ranks: ranks are numbered 0 to {}", rank,
                    ranks, ranks - 1)));
  bootstrap::UniqueId copy;
  std::memcpy(copy.bytes.data(), id->bytes, sizeof id->bytes);
  return create(comm, config, [copy, rank, ranks](Deadline deadline) {
    return bootstrap::join(copy, u32(rank), u32(ranks), deadline);
  });
}

weft_result_t weft_comm_create_from_environment(weft_comm_t* comm, const weft_config_t* config) {
  return create(comm, config, bootstrap::from_environment);
}

weft_result_t weft_comm_split(weft_comm_t comm, int color, int key, weft_comm_t* made,
                              const weft_config_t* config) {
  return split(comm, color, key, made, config);
}

weft_result_t weft_comm_dup(weft_comm_t comm, weft_comm_t* made, const weft_config_t* config) {
  return split(comm, 0, 0, made, config);
}

weft_result_t weft_comm_shrink(weft_comm_t comm, weft_comm_t* made, const weft_config_t* config) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const old, use(comm));
    WEFT_TRY(need(made, "made"));
    *made = nullptr;
    const Result<Config> wanted = inherit(old->config(), config);
    return make_member(made, !wanted || wanted->blocking, object(comm),
                       [=] { return old->shrink(wanted); });
  });
}

weft_result_t weft_comm_finalize(weft_comm_t comm) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(const Communicator* const communicator, use(comm));
    Member* const member = object(comm);
    Group& group = Group::of_this_thread();
    if (!communicator->config().blocking) {
      WEFT_TRY(member->finalize_behind());
      return fail(Code::in_progress, "the communicator is being finalized");
    }
    if (!group.is_open()) return Member::finalize(std::span(&member, 1));
    group.finalize(member);
    return {};
  });
}

weft_result_t weft_comm_destroy(weft_comm_t comm) {
  return guarded([&]() -> Status {
    if (!comm) return {};
    WEFT_TRY(object(comm)->same_process());  // a child leaves its parent's memory alone
    std::unique_ptr<Member> owned(object(comm));
    Group& group = Group::of_this_thread();
    if (group.is_open()) {
      group.destroy(std::move(owned));
      return {};
    }
    Member* const leaving = owned.get();
    return Member::leave(std::span(&leaving, 1));
  });
}

weft_result_t weft_comm_abort(weft_comm_t comm) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(object(comm)->same_process());
    object(comm)->abort();
    return {};
  });
}

weft_result_t weft_comm_get_async_error(weft_comm_t comm, weft_result_t* state) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(state, "state"));
    WEFT_TRY(object(comm)->same_process());
    *state = report(object(comm)->state());
    return {};
  });
}

weft_result_t weft_comm_rank(weft_comm_t comm, int* rank) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(rank, "rank"));
    WEFT_ASSIGN(Communicator* const communicator, object(comm)->known());
    *rank = int(communicator->rank());
    return {};
  });
}

weft_result_t weft_comm_size(weft_comm_t comm, int* ranks) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(ranks, "ranks"));
    WEFT_ASSIGN(Communicator* const communicator, object(comm)->known());
    *ranks = int(communicator->ranks());
    return {};
  });
}

weft_result_t weft_comm_info(weft_comm_t comm, weft_comm_info_t* info) {
  return guarded([&]() -> Status {
    WEFT_TRY(need(comm, "comm"));
    WEFT_TRY(need(info, "info"));
    const size_t size = info->size;
    if (size < sizeof(size_t) || size > 4096)
      return fail(Code::invalid_argument, "info.size is {}: start from WEFT_COMM_INFO_INITIALIZER",
                  size);
    WEFT_ASSIGN(Communicator* const communicator, object(comm)->known());
    const Info& known = communicator->info();
    const weft_comm_info_t all = {size,
                                  int(known.node),
                                  int(known.nodes),
                                  int(known.local_rank),
                                  int(known.local_ranks),
                                  int(known.rails),
                                  known.node_name.c_str(),
                                  known.shape.c_str(),
                                  known.in_node.c_str(),
                                  known.between_nodes.c_str(),
                                  known.order.c_str()};
    std::memcpy(info, &all, std::min(size, sizeof all));  // an older caller's may be shorter
    return {};
  });
}

}  // extern "C"
