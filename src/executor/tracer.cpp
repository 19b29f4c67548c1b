#include "executor/tracer.hpp"

namespace weft::executor {

Tracer::Tracer(u32 rank, u32 frames, bool steps, bool times) : steps_(steps), send_issues_(frames) {
  if (times) timeline_.emplace(frames);
  trace_.rank = rank;
  trace_.frames = frames;
}

void Tracer::call(const Operation& operation) {
  if (!steps_) return;
  const Plan& plan = *operation.plan;
  trace_.calls.push_back({operation.first_instance, plan.slices, plan.collective, plan.program});
}

u32 Tracer::issued(const Frame& frame, u32 step) {
  if (timeline_) timeline_->issued(frame, step);
  if (!steps_) return 0;
  const Plan& plan = *frame.plan;
  const bool empty = frame.extents(plan.steps[step]).bytes == 0;
  trace_.records.push_back({.instance = frame.instance,
                            .step = plan.program_step[step],
                            .retire = false,
                            .empty = empty,
                            .sends = {}});
  return issues_++;
}

void Tracer::received(const Frame& frame, u32 end, u32 send_issue) {
  if (timeline_) timeline_->received(frame, end);
  if (!steps_) return;
  auto& numbers = send_issues_[frame.index];
  if (numbers.size() <= end) numbers.resize(end + 1);
  numbers[end] = send_issue;
}

void Tracer::retired(const Frame& frame, u32 step) {
  if (timeline_) timeline_->retired(frame, step);
  if (!steps_) return;
  const LoweredStep& s = frame.plan->steps[step];
  schedule::Record record{.instance = frame.instance,
                          .step = frame.plan->program_step[step],
                          .retire = true,
                          .empty = frame.extents(s).bytes == 0,
                          .sends = {}};
  if (s.receives() && !record.empty)
    for (u32 k = 0; k < s.ends; ++k)
      record.sends.push_back(send_issues_[frame.index].at(s.first_end + k));
  trace_.records.push_back(std::move(record));
}

}  // namespace weft::executor
