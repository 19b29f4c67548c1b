#include "perf/team.hpp"

#include <algorithm>
#include <numeric>

namespace weft::perf {

Status Team::meet(const std::function<void()>& bring, const std::function<Status()>& finish) {
  std::unique_lock lock(mutex_);
  if (failure_) return tl::unexpected(*failure_);
  bring();
  if (++arrived_ == threads_) {
    if (Status finished = finish(); !finished) failure_ = finished.error();
    arrived_ = 0;
    ++meetings_;
    met_.notify_all();
  } else {
    met_.wait(lock, [this, mine = meetings_] { return meetings_ != mine || failure_; });
  }
  if (failure_) return tl::unexpected(*failure_);
  return {};
}

Status Team::barrier() {
  return meet([] {}, [this] { return processes_.barrier(); });
}

Result<double> Team::finish_combined(Combine how) const {
  const auto [least, most] = std::ranges::minmax(values_);
  const double sum = std::accumulate(values_.begin(), values_.end(), 0.0);
  switch (how) {
    case Combine::rank0: return values_[0];
    case Combine::minimum: return processes_.reduced(least, weft_min);
    case Combine::maximum: return processes_.reduced(most, weft_max);
    case Combine::sum: return processes_.reduced(sum, weft_sum);
    case Combine::average: break;
  }
  const double all = static_cast<double>(processes_.size()) * threads_;
  return processes_.reduced(sum, weft_sum).map([all](double total) { return total / all; });
}

Result<double> Team::combined(int thread, double value, Combine how) {
  // A thread still reading results_ has not arrived at the next meeting, so nobody can finish it.
  PERF_TRY(meet([&] { values_[thread] = value; },
                [&]() -> Status {
                  auto result = finish_combined(how);
                  if (!result) return tl::unexpected(std::move(result).error());
                  results_.assign(1, *result);
                  return {};
                }));
  return results_[0];
}

Result<std::vector<double>> Team::process_maxima(std::span<const double> values) {
  PERF_TRY(meet(
      [&] {
        if (arrived_ == 0) maxima_.assign(values.begin(), values.end());
        for (std::size_t i = 0; i < values.size(); ++i)
          maxima_[i] = std::max(maxima_[i], values[i]);
      },
      [&]() -> Status {
        auto rows = processes_.gathered(std::span<const double>(maxima_));
        if (!rows) return tl::unexpected(std::move(rows).error());
        results_ = std::move(*rows);
        return {};
      }));
  return results_;
}

Result<double> Team::measured(const std::function<Result<double>()>& measure) {
  PERF_TRY(meet([] {},
                [&]() -> Status {
                  auto value = measure();
                  if (!value) return tl::unexpected(std::move(value).error());
                  results_.assign(1, *value);
                  return {};
                }));
  return results_[0];
}

void Team::abandon(const Failure& failure) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = failure;
  met_.notify_all();
}

}  // namespace weft::perf
