// The thread of a group.
#include "runtime/distributed/backends/worker.h"

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {

Worker::~Worker() {
  std::deque<std::shared_ptr<QueuedWork>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(queue_);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (const auto& work : left) {
    work->fail(std::make_exception_ptr(DistBackendError(
        describe(work->collective()) + ": its process group was destroyed before it began")));
  }
}

bool Worker::take_turn(const std::shared_ptr<QueuedWork>& work) {
  const std::lock_guard lock(mutex_);
  if (running_ || !queue_.empty() || stopping_) return false;
  running_ = work;
  return true;
}

std::shared_ptr<QueuedWork> Worker::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

size_t Worker::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Worker::carry_out(QueuedWork& work) {
  work.take_up();
  try {
    work.succeed(run_(work));
  } catch (...) {
    work.fail(std::current_exception());
  }
  {
    const std::lock_guard lock(mutex_);
    running_.reset();
  }
  changed_.notify_all();
}

void Worker::run(const std::shared_ptr<QueuedWork>& work) {
  take_turn(work) ? carry_out(*work) : queue(work);
  work->wait();
}

void Worker::queue(const std::shared_ptr<QueuedWork>& work) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = begin_thread([this] { loop(); });
    queue_.push_back(work);
  }
  changed_.notify_all();
}

void Worker::loop() {
  for (;;) {
    std::shared_ptr<QueuedWork> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || (!running_ && !queue_.empty()); });
      if (stopping_) return;
      work = std::move(queue_.front());
      queue_.pop_front();
      running_ = work;
    }
    carry_out(*work);
  }
}

}  // namespace opweave::distributed
