// Exchange by PMIx: put, commit, fence with data, get. No connection of our own is needed.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "bootstrap/pmix.hpp"
#include "bootstrap/pmix_library.hpp"
#include "bootstrap/ranks_text.hpp"

namespace weft::bootstrap {
namespace {

// Answers that libpmix's thread gives, waited for under our own deadline: the time-outs PMIx offers
// are kept by few servers. Shared with the callbacks, which may come long after we have given up.
struct Answers {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t expected = 0, arrived = 0;
  pmix_status_t status = PMIX_SUCCESS;  // the first that is not success
  std::vector<bool> present;            // by rank

  bool wait(Deadline deadline) {
    std::unique_lock lock(mutex);
    const TimePoint until = Clock::now() + deadline.left();
    return changed.wait_until(lock, until, [&] { return arrived == expected; });
  }
};

// What one callback holds; freed by it.
struct Ticket {
  std::shared_ptr<Answers> answers;
  u32 rank = 0;
};

void arrive(std::unique_ptr<Ticket> ticket, pmix_status_t status) {
  Answers& answers = *ticket->answers;
  const std::lock_guard lock(answers.mutex);
  ++answers.arrived;
  if (status == PMIX_SUCCESS && ticket->rank < answers.present.size())
    answers.present[ticket->rank] = true;
  if (answers.status == PMIX_SUCCESS) answers.status = status;
  answers.changed.notify_all();
}

void on_fence(pmix_status_t status, void* data) {
  arrive(std::unique_ptr<Ticket>(static_cast<Ticket*>(data)), status);
}

void on_value(pmix_status_t status, pmix_value_t*, void* data) {
  arrive(std::unique_ptr<Ticket>(static_cast<Ticket*>(data)), status);
}

class PmixBootstrap final : public Bootstrap {
 public:
  // `job`: counts those of this process; the same number on all ranks.
  PmixBootstrap(const PmixSession& session, u32 job) : session_(session), job_(job) {}

  u32 rank() const override { return session_.self.rank; }
  u32 ranks() const override { return session_.ranks; }
  const Secret& secret() const override { return secret_; }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline deadline) override;
  Status barrier(Deadline deadline) override;
  Status agree_on_secret(Deadline deadline);

 private:
  Status put(const std::string& blob);
  Status fence(bool collect, const char* what, Deadline deadline);
  Result<std::string> get(u32 rank) const;
  Error missing(const char* what, TimePoint began) const;
  std::string key() const { return fmt::format("weft.{}.{}", job_, sequence_); }

  const PmixSession& session_;
  const u32 job_;
  u32 sequence_ = 0;
  Secret secret_{Secret::Bytes{}};
  std::optional<Error> failure_;
};

Result<std::vector<std::string>> PmixBootstrap::exchange(const std::string& blob,
                                                         Deadline deadline) {
  if (blob.size() > blob_most_bytes)
    return fail(Code::invalid_argument, "a blob of {} bytes was given to exchange; {} is the most",
                blob.size(), blob_most_bytes);
  WEFT_TRY(put(blob));
  WEFT_TRY(fence(true, "called exchange", deadline));
  std::vector<std::string> blobs(ranks());
  for (u32 r = 0; r < ranks(); ++r) { WEFT_ASSIGN(blobs[r], get(r)); }
  ++sequence_;
  return blobs;
}

Status PmixBootstrap::barrier(Deadline deadline) {
  WEFT_TRY(put({}));
  WEFT_TRY(fence(false, "called barrier", deadline));
  ++sequence_;
  return {};
}

Status PmixBootstrap::agree_on_secret(Deadline deadline) {
  Secret::Bytes drawn = Secret::random().bytes();
  WEFT_TRY(put(std::string(reinterpret_cast<const char*>(drawn.data()), drawn.size())));
  WEFT_TRY(fence(true, "joined", deadline));
  WEFT_ASSIGN(const std::string of_root, get(0));
  if (of_root.size() != drawn.size())
    return fail(Code::remote_error, "rank 0 published a secret of {} bytes", of_root.size());
  std::memcpy(drawn.data(), of_root.data(), drawn.size());
  secret_ = Secret(drawn);
  ++sequence_;
  return {};
}

// One byte in front of the blob: some servers do not carry empty values.
Status PmixBootstrap::put(const std::string& blob) {
  if (failure_) return fail(Code::aborted, "the job failed earlier: {}", failure_->text);
  std::string bytes = "=" + blob;
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo = {bytes.data(), bytes.size()};
  if (const auto status = session_.library->put(PMIX_GLOBAL, key().c_str(), &value);
      status != PMIX_SUCCESS)
    return session_.fail_status(status, fmt::format("rank {}: PMIx_Put", rank()));
  if (const auto status = session_.library->commit(); status != PMIX_SUCCESS)
    return session_.fail_status(status, fmt::format("rank {}: PMIx_Commit", rank()));
  return {};
}

Status PmixBootstrap::fence(bool collect, const char* what, Deadline deadline) {
  const TimePoint began = Clock::now();
  const pmix_proc_t everyone = session_.process(PMIX_RANK_WILDCARD);
  pmix_info_t info{};
  std::strcpy(info.key, PMIX_COLLECT_DATA);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = collect;
  const auto answers = std::make_shared<Answers>();
  answers->expected = 1;
  auto ticket = std::make_unique<Ticket>(Ticket{answers, ranks()});
  auto status = session_.library->fence_nb(&everyone, 1, &info, 1, on_fence, ticket.get());
  if (status == PMIX_SUCCESS) {
    (void)ticket.release();  // the callback's now
    if (!answers->wait(deadline)) {
      failure_ = missing(what, began);
      return fail(*failure_);
    }
    const std::lock_guard lock(answers->mutex);
    status = answers->status;
  }
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return {};
  auto failed = session_.fail_status(
      status,
      fmt::format("rank {}: PMIx_Fence over {} ranks (has one of them died?)", rank(), ranks()));
  failure_ = failed.value();
  return failed;
}

Result<std::string> PmixBootstrap::get(u32 whose) const {
  const pmix_proc_t process = session_.process(whose);
  pmix_value_t* value = nullptr;
  const auto status = session_.library->get(&process, key().c_str(), nullptr, 0, &value);
  if (status != PMIX_SUCCESS)
    return session_.fail_status(status, fmt::format("rank {}: PMIx_Get of rank {}", rank(), whose));
  std::string bytes;
  if (value->type == PMIX_BYTE_OBJECT) {
    bytes.assign(value->data.bo.bytes, value->data.bo.size);
    std::free(value->data.bo.bytes);
  }
  std::free(value);
  if (bytes.empty()) return fail(Code::remote_error, "rank {} published nothing", whose);
  return bytes.substr(1);
}

// A fence does not say who keeps it waiting. What each rank has published can be asked for one by
// one, and those who answer have come.
Error PmixBootstrap::missing(const char* what, TimePoint began) const {
  constexpr Duration patience = std::chrono::seconds(1);
  const Duration waited = Clock::now() - began;
  const auto answers = std::make_shared<Answers>();
  {
    const std::lock_guard lock(answers->mutex);
    answers->present.resize(ranks());
    answers->present[rank()] = true;
    answers->expected = ranks() - 1;
  }
  for (u32 r = 0; r < ranks(); ++r) {
    if (r == rank()) continue;
    auto ticket = std::make_unique<Ticket>(Ticket{answers, r});
    const pmix_proc_t process = session_.process(r);
    if (session_.library->get_nb(&process, key().c_str(), nullptr, 0, on_value, ticket.get()) ==
        PMIX_SUCCESS)
      (void)ticket.release();
  }
  answers->wait(Deadline::after(patience));
  const std::lock_guard lock(answers->mutex);
  std::vector<u32> absent;
  for (u32 r = 0; r < ranks(); ++r)
    if (!answers->present[r]) absent.push_back(r);
  if (absent.empty())
    return {Code::timed_out, fmt::format("rank {} waited {} in PMIx_Fence after all ranks had {}",
                                         rank(), seconds_text(waited), what)};
  return {Code::timed_out,
          fmt::format("{} {} not {} after {}", ranks_text(absent),
                      absent.size() == 1 ? "has" : "have", what, seconds_text(waited))};
}

}  // namespace

std::string pmix_missing() {
  const auto& library = PmixLibrary::load();
  return library ? "" : library.error().text;
}

Result<std::unique_ptr<Bootstrap>> join_by_pmix(Deadline deadline) {
  static std::atomic<u32> jobs = 0;
  const auto& session = PmixSession::get();
  if (!session) return fail(session.error());
  auto job = std::make_unique<PmixBootstrap>(*session, jobs++);
  WEFT_TRY(job->agree_on_secret(deadline));
  return job;
}

}  // namespace weft::bootstrap
