#include "control/scribe.hpp"

#include <pthread.h>

#include "base/log.hpp"
#include "base/thread.hpp"
#include "control/record.hpp"

namespace weft::control {
namespace {

void write_one(const Job::Note& note) try { write(note); } catch (const std::exception& error) {
  log::error("cannot write what became of the job: {}", error.what());
}

}  // namespace

void Scribe::write(std::vector<Job::Note> notes) {
  if (notes.empty()) return;
  const std::lock_guard lock(mutex_);
  for (Job::Note& note : notes) notes_.push_back(std::move(note));
  changed_.notify_one();
  if (thread_.joinable()) return;
  try {
    thread_ = start_thread([this] { run(); });
  } catch (const std::system_error&) {  // too many threads: better late than never
    for (; !notes_.empty(); notes_.pop_front()) write_one(notes_.front());
  }
}

void Scribe::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Scribe::run() {
  ::pthread_setname_np(::pthread_self(), "weft-scribe");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return finished_ || !notes_.empty(); });
    if (notes_.empty()) return;
    const Job::Note note = std::move(notes_.front());
    notes_.pop_front();
    lock.unlock();
    write_one(note);
    lock.lock();
  }
}

}  // namespace weft::control
