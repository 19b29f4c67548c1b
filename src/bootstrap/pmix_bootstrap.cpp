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

std::string text_of(const Secret& secret) {
  const Secret::Bytes bytes = secret.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PmixBootstrap final : public Bootstrap {
 public:
  // `job` counts those of this process; the same number on all ranks. Rank 0 draws the secret.
  PmixBootstrap(PmixClient client, u32 job) : client_(std::move(client)), job_(job) {
    if (rank() == 0) secret_ = Secret::random();
  }

  u32 rank() const override { return client_.rank(); }
  u32 ranks() const override { return client_.ranks(); }
  const Secret& secret() const override { return secret_; }
  Result<std::vector<std::string>> exchange(const std::string& blob, Deadline deadline) override;
  Status barrier(Deadline deadline) override;

 private:
  Status learn_secret(std::string& first);
  Status meet(const std::string& blob, bool collect, const char* what, Deadline deadline);
  Error explain(const char* what, Duration waited) const;
  std::string key() const { return fmt::format("weft.{}.{}", job_, sequence_); }

  PmixClient client_;
  const u32 job_;
  u32 sequence_ = 0;  // of the last call
  Secret secret_{Secret::Bytes{}};
  bool knows_secret_ = false;
  std::optional<Error> failure_;
};

Result<std::vector<std::string>> PmixBootstrap::exchange(const std::string& blob,
                                                         Deadline deadline) {
  if (blob.size() > blob_most_bytes)
    return fail(Code::invalid_argument, "a blob of {} bytes was given to exchange; {} is the most",
                blob.size(), blob_most_bytes);
  // The secret travels ahead of rank 0's first blob, which spares the job a fence.
  const bool joins = !std::exchange(knows_secret_, true);
  WEFT_TRY(meet(joins && rank() == 0 ? text_of(secret_) + blob : blob, true,
                joins ? "joined" : "called exchange", deadline));
  WEFT_ASSIGN(auto blobs, client_.fetch(key(), deadline));
  if (joins) WEFT_TRY(learn_secret(blobs[0]));
  return blobs;
}

Status PmixBootstrap::learn_secret(std::string& first) {
  Secret::Bytes bytes;
  if (first.size() < bytes.size())
    return fail(Code::remote_error, "rank 0 published {} bytes, too few for the job's secret",
                first.size());
  std::memcpy(bytes.data(), first.data(), bytes.size());
  secret_ = Secret(bytes);
  first.erase(0, bytes.size());
  return {};
}

Status PmixBootstrap::barrier(Deadline deadline) {
  return meet({}, false, "called barrier", deadline);
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

Result<std::unique_ptr<Bootstrap>> join_by_pmix() {
  static std::atomic<u32> jobs = 0;
  WEFT_ASSIGN(PmixClient client, PmixClient::connect());
  return std::make_unique<PmixBootstrap>(std::move(client), jobs++);
}

}  // namespace weft::bootstrap
