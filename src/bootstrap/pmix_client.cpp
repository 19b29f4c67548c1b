#include "bootstrap/pmix_client.hpp"

#include <dlfcn.h>
#include <pmix.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace weft::bootstrap {

struct PmixLibrary {
  decltype(&::PMIx_Init) init = nullptr;
  decltype(&::PMIx_Finalize) finalize = nullptr;
  decltype(&::PMIx_Put) put = nullptr;
  decltype(&::PMIx_Commit) commit = nullptr;
  decltype(&::PMIx_Fence_nb) fence_nb = nullptr;
  decltype(&::PMIx_Get) get = nullptr;
  decltype(&::PMIx_Get_nb) get_nb = nullptr;
  decltype(&::PMIx_Error_string) error_string = nullptr;
};

// Answers given by libpmix's thread. Shared with the callbacks, which may come long after whoever
// waited has given up.
struct PmixAnswers {
  explicit PmixAnswers(u32 ranks) : well(ranks), values(ranks) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::size_t arrived = 0, expected = 1;
  pmix_status_t status = PMIX_SUCCESS;  // of the last
  std::vector<bool> well;               // by rank: success
  std::vector<std::string> values;      // by rank

  bool wait(Deadline deadline) {
    std::unique_lock lock(mutex);
    const TimePoint until = Clock::now() + deadline.left();
    return changed.wait_until(lock, until, [&] { return arrived >= expected; });
  }
};

namespace {

constexpr const char* soname = "libpmix.so.2";

Result<PmixLibrary> open_library() {
  void* const handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);  // for the life of the process
  if (!handle) return fail(Code::unsupported, "{} cannot be loaded: {}", soname, ::dlerror());
  PmixLibrary library;
  std::string absent;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (!function) absent = name;
  };
  find(library.init, "PMIx_Init");
  find(library.finalize, "PMIx_Finalize");
  find(library.put, "PMIx_Put");
  find(library.commit, "PMIx_Commit");
  find(library.fence_nb, "PMIx_Fence_nb");
  find(library.get, "PMIx_Get");
  find(library.get_nb, "PMIx_Get_nb");
  find(library.error_string, "PMIx_Error_string");
  if (!absent.empty()) return fail(Code::unsupported, "{} has no {}", soname, absent);
  return library;
}

const Result<PmixLibrary>& library() {
  static const auto loaded = open_library();
  return loaded;
}

// The launcher takes a process that goes without a farewell for a crashed one. A fork of this
// process is not a client of the server and must not say it.
void end_session_at_exit(const PmixLibrary& with) {
  static const PmixLibrary* const used = &with;
  static const pid_t owner = ::getpid();
  std::atexit([] {
    if (::getpid() == owner) used->finalize(nullptr, 0);
  });
}

pmix_proc_t process(const std::string& name_space, pmix_rank_t rank) {
  pmix_proc_t process{};
  std::strncpy(process.nspace, name_space.c_str(), PMIX_MAX_NSLEN);
  process.rank = rank;
  return process;
}

// What one callback holds; freed by it.
struct Ticket {
  std::shared_ptr<PmixAnswers> answers;
  u32 rank;
};

// One byte stands in front: some servers do not carry empty values.
std::string carried_by(const pmix_value_t* value) {
  const bool carries = value && value->type == PMIX_BYTE_OBJECT && value->data.bo.size > 0;
  return carries ? std::string(value->data.bo.bytes + 1, value->data.bo.size - 1) : std::string();
}

void arrive_with_value(pmix_status_t status, pmix_value_t* value, void* data) {
  const std::unique_ptr<Ticket> ticket(static_cast<Ticket*>(data));
  PmixAnswers& answers = *ticket->answers;
  const std::lock_guard lock(answers.mutex);
  answers.status = status;
  answers.well[ticket->rank] = status == PMIX_SUCCESS;
  answers.values[ticket->rank] = carried_by(value);  // the value itself stays libpmix's
  if (++answers.arrived >= answers.expected) answers.changed.notify_all();
}

void arrive(pmix_status_t status, void* data) { arrive_with_value(status, nullptr, data); }

}  // namespace

std::string PmixClient::missing() { return library() ? "" : library().error().text; }

Result<PmixClient> PmixClient::connect() {
  // One session for all clients of this process.
  static const auto made = []() -> Result<PmixClient> {
    if (!library()) return fail(library().error());
    PmixClient client;
    client.library_ = &*library();
    pmix_proc_t self{};
    if (const auto status = client.library_->init(&self, nullptr, 0); status != PMIX_SUCCESS)
      return client.fail_status(
          status, "PMIx_Init (is this process started by the launcher whose variables it sees?)");
    end_session_at_exit(*client.library_);
    client.name_space_ = self.nspace;
    client.rank_ = self.rank;
    const pmix_proc_t everyone = process(client.name_space_, PMIX_RANK_WILDCARD);
    pmix_value_t* value = nullptr;
    if (const auto status = client.library_->get(&everyone, PMIX_JOB_SIZE, nullptr, 0, &value);
        status != PMIX_SUCCESS)
      return client.fail_status(status, "PMIx_Get of the number of ranks");
    client.ranks_ = value->data.uint32;
    std::free(value);
    if (client.rank_ >= client.ranks_)
      return fail(Code::remote_error, "PMIx says this is rank {} of {}", client.rank_,
                  client.ranks_);
    return client;
  }();
  return made;
}

tl::unexpected<Error> PmixClient::fail_status(int status, const std::string& what) const {
  return fail(Code::remote_error, "{}: {} ({})", what, library_->error_string(status), status);
}

Status PmixClient::publish(const std::string& key, const std::string& bytes) const {
  std::string carried = "=" + bytes;  // see carried_by
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo = {carried.data(), carried.size()};
  if (const auto status = library_->put(PMIX_GLOBAL, key.c_str(), &value); status != PMIX_SUCCESS)
    return fail_status(status, fmt::format("rank {}: PMIx_Put", rank_));
  if (const auto status = library_->commit(); status != PMIX_SUCCESS)
    return fail_status(status, fmt::format("rank {}: PMIx_Commit", rank_));
  return {};
}

Result<bool> PmixClient::fence(bool collect, Deadline deadline) const {
  const pmix_proc_t everyone = process(name_space_, PMIX_RANK_WILDCARD);
  pmix_info_t info{};
  std::strncpy(info.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = collect;
  const auto answers = std::make_shared<PmixAnswers>(ranks_);
  auto ticket = std::make_unique<Ticket>(Ticket{answers, rank_});
  auto status = library_->fence_nb(&everyone, 1, &info, 1, arrive, ticket.get());
  if (status == PMIX_SUCCESS) {
    (void)ticket.release();  // the callback's now
    if (!answers->wait(deadline)) return false;
    const std::lock_guard lock(answers->mutex);
    status = answers->status;
  }
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return true;
  return fail_status(
      status,
      fmt::format("rank {}: PMIx_Fence over {} ranks (has one of them died?)", rank_, ranks_));
}

// All at once: each question asked and waited for alone would cost two switches of threads.
std::shared_ptr<PmixAnswers> PmixClient::ask_all(const std::string& key, Deadline deadline) const {
  const auto answers = std::make_shared<PmixAnswers>(ranks_);
  answers->expected = ranks_;
  for (u32 rank = 0; rank < ranks_; ++rank) {
    auto ticket = std::make_unique<Ticket>(Ticket{answers, rank});
    const pmix_proc_t whose = process(name_space_, rank);
    const auto status =
        library_->get_nb(&whose, key.c_str(), nullptr, 0, arrive_with_value, ticket.get());
    if (status == PMIX_SUCCESS)
      (void)ticket.release();  // the callback's now
    else
      arrive(status, ticket.release());
  }
  if (!answers->wait(deadline)) {
    const std::lock_guard lock(answers->mutex);
    answers->status = PMIX_ERR_TIMEOUT;
  }
  return answers;
}

Result<std::vector<std::string>> PmixClient::fetch(const std::string& key,
                                                   Deadline deadline) const {
  const auto answers = ask_all(key, deadline);
  const std::lock_guard lock(answers->mutex);
  for (u32 rank = 0; rank < ranks_; ++rank)
    if (!answers->well[rank])
      return fail_status(answers->status,
                         fmt::format("rank {}: PMIx_Get of what rank {} published", rank_, rank));
  return std::move(answers->values);
}

std::vector<bool> PmixClient::published(const std::string& key, Deadline deadline) const {
  const auto answers = ask_all(key, deadline);
  const std::lock_guard lock(answers->mutex);
  return answers->well;
}

}  // namespace weft::bootstrap
