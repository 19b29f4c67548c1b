// Elements that are changed on their way in and out: multiplied or widened before they are
// combined, divided or rounded after.
//
// An image of the input or output of a slice is a scratch plane behind those of the program. The
// program itself is untouched: it runs as if the images were the caller's buffers, apart from each
// other, which is one of the two placements it is proved for.
#include "executor/engine.hpp"

namespace weft::executor {

u64 scratch_planes(const Operation& operation) {
  return operation.plan->program.planes + bool(operation.before) + bool(operation.after);
}

namespace {

// The byte that follows `bytes` of combined elements, in elements of the caller.
u64 in_user_bytes(const Operation& operation, u64 bytes) {
  return bytes / operation.element_bytes * operation.user_element_bytes;
}

}  // namespace

void Engine::stage_in(Frame& frame) {
  const Operation& operation = *frame.operation;
  const Plan& plan = *frame.plan;
  const u64 offset = in_user_bytes(operation, frame.slice * plan.slice_bytes);
  frame.window = {operation.input + offset, operation.output + offset};
  using channel::Layout;
  frame.layouts = {operation.before ? Layout::plane : Layout::input,
                   operation.after ? Layout::plane : Layout::output};
  for (const schedule::Buffer buffer : {schedule::input, schedule::output}) {
    const bool is_image = frame.layouts[buffer] == Layout::plane;
    frame.shared[buffer] = is_image ? Shared{} : operation.shared[buffer];
    frame.shared[buffer].offset += offset;
  }
  u32 plane = plan.program.planes;
  if (operation.before) {
    std::byte* const image = frame.plane(plane++);
    const Extents& all = plan.windows[schedule::input][frame.kind];
    for (u32 i = all.first_run; i < all.first_run + all.runs; ++i) {
      const channel::Run& run = plan.runs[i];
      operation.before.function(
          image + run.in(Layout::plane),
          frame.window[schedule::input] + in_user_bytes(operation, run.in(Layout::input)),
          run.bytes / operation.element_bytes, operation.before.parameter);
    }
    frame.window[schedule::input] = image;
  }
  if (operation.after) frame.window[schedule::output] = frame.plane(plane);
}

void Engine::stage_out(Frame& frame) {
  const Operation& operation = *frame.operation;
  if (!operation.scale && !operation.after) return;
  const Plan& plan = *frame.plan;
  const u64 offset = in_user_bytes(operation, frame.slice * plan.slice_bytes);
  const Extents& all = plan.windows[schedule::output][frame.kind];
  for (u32 i = all.first_run; i < all.first_run + all.runs; ++i) {
    const channel::Run& run = plan.runs[i];
    const u64 elements = run.bytes / operation.element_bytes;
    std::byte* const result = frame.target(schedule::output, run);
    if (operation.scale)
      operation.scale.function(result, result, elements, operation.scale.parameter);
    if (operation.after)
      operation.after.function(
          operation.output + offset + in_user_bytes(operation, run.in(channel::Layout::output)),
          result, elements, operation.after.parameter);
  }
}

}  // namespace weft::executor
