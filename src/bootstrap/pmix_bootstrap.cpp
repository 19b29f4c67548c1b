// Exchange by PMIx: publish, fence with data, fetch. No connection of our own is needed.
#include <atomic>
#include <cstring>
#include <optional>

#include "bootstrap/pmix.hpp"
#include "bootstrap/pmix_client.hpp"
#include "bootstrap/ranks_text.hpp"

namespace weft::bootstrap {
namespace {

// How long a rank past its deadline asks who has come.
constexpr Duration inquiry_most = std::chrono::seconds(1);

class PmixBootstrap final : public Bootstrap {
 public:
  // `job` counts those of this process; the same number on all ranks.
  PmixBootstrap(PmixClient client, u32 job) : client_(std::move(client)), job_(job) {}

  u32 rank() const override { return client_.rank(); }
  u32 ranks() const override { return client_.ranks(); }
  const Secret& secret() const override { return secret_; }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline deadline) override;
  Status barrier(Deadline deadline) override;
  // Rank 0 draws it. Returns once all ranks have come.
  Status agree_on_secret(Deadline deadline);

 private:
  Status meet(const std::string& blob, bool collect, const char* what, Deadline deadline);
  Error explain(const char* what, Duration waited) const;
  std::string key() const { return fmt::format("weft.{}.{}", job_, sequence_); }

  PmixClient client_;
  const u32 job_;
  u32 sequence_ = 0;  // of the last call
  Secret secret_{Secret::Bytes{}};
  std::optional<Error> failure_;
};

Result<std::vector<std::string>> PmixBootstrap::exchange(const std::string& blob,
                                                         Deadline deadline) {
  if (blob.size() > blob_most_bytes)
    return fail(Code::invalid_argument, "a blob of {} bytes was given to exchange; {} is the most",
                blob.size(), blob_most_bytes);
  WEFT_TRY(meet(blob, true, "called exchange", deadline));
  std::vector<std::string> blobs;
  for (u32 r = 0; r < ranks(); ++r) {
    WEFT_ASSIGN(std::string of_rank, client_.fetch(r, key()));
    blobs.push_back(std::move(of_rank));
  }
  return blobs;
}

Status PmixBootstrap::barrier(Deadline deadline) {
  return meet({}, false, "called barrier", deadline);
}

Status PmixBootstrap::agree_on_secret(Deadline deadline) {
  std::string drawn;
  if (rank() == 0) {
    const Secret::Bytes bytes = Secret::random().bytes();
    drawn.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  WEFT_TRY(meet(drawn, true, "joined", deadline));
  WEFT_ASSIGN(const std::string published, client_.fetch(0, key()));
  Secret::Bytes bytes;
  if (published.size() != bytes.size())
    return fail(Code::remote_error, "rank 0 published a secret of {} bytes", published.size());
  std::memcpy(bytes.data(), published.data(), bytes.size());
  secret_ = Secret(bytes);
  return {};
}

Status PmixBootstrap::meet(const std::string& blob, bool collect, const char* what,
                           Deadline deadline) {
  if (failure_) return fail(Code::aborted, "the job failed earlier: {}", failure_->text);
  const TimePoint began = Clock::now();
  ++sequence_;
  WEFT_TRY(client_.publish(key(), blob));
  const auto met = client_.fence(collect, deadline);
  if (met && *met) return {};
  failure_ = met ? explain(what, Clock::now() - began) : met.error();
  return fail(*failure_);
}

// A fence does not say who keeps it waiting. What each rank has published can be asked for one by
// one, and those who answer have come.
Error PmixBootstrap::explain(const char* what, Duration waited) const {
  const auto came = client_.published(key(), Deadline::after(inquiry_most));
  std::vector<u32> absent;
  for (u32 r = 0; r < ranks(); ++r)
    if (!came[r]) absent.push_back(r);
  if (absent.empty())
    return {Code::timed_out,
            fmt::format("rank {} waited {} in PMIx_Fence although all ranks have {} by now", rank(),
                        seconds_text(waited), what)};
  return {Code::timed_out,
          fmt::format("{} {} not {} after {}", ranks_text(absent),
                      absent.size() == 1 ? "has" : "have", what, seconds_text(waited))};
}

}  // namespace

std::string pmix_missing() { return PmixClient::missing(); }

Result<std::unique_ptr<Bootstrap>> join_by_pmix(Deadline deadline) {
  static std::atomic<u32> jobs = 0;
  WEFT_ASSIGN(PmixClient client, PmixClient::connect());
  auto job = std::make_unique<PmixBootstrap>(std::move(client), jobs++);
  WEFT_TRY(job->agree_on_secret(deadline));
  return job;
}

}  // namespace weft::bootstrap
