// The thread of a group.
#include "runtime/distributed/backends/groups/worker.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {
namespace {

using WorkPointer = std::shared_ptr<QueuedWork>;

// A backend has so long to return after somebody else has ended its collective.
constexpr Milliseconds kPatience{1000};

std::exception_ptr never_begun(const QueuedWork& work, const std::string& why) {
  return std::make_exception_ptr(DistBackendError(describe(work.collective()) + ": " + why));
}

}  // namespace

struct Worker::State {
  explicit State(Steps given) : steps(std::move(given)) {}

  bool take_turn(const WorkPointer& work);  // unless something runs, or is ahead
  void carry_out(const WorkPointer& work);
  void come_back();
  bool may_carry_out_next() const { return !running && !queue.empty(); }
  WorkPointer take_next();
  void loop();
  void carry_out_up_to(const QueuedWork& work);
  bool wait_for_running();

  const Steps steps;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<WorkPointer> queue;
  WorkPointer running;
  std::string refusal;  // why nothing begins any more; empty while it does
  bool stopping = false;
  bool in_backend = false;  // somebody is in `run`
  bool left_behind = false;
  std::thread thread;  // begins with the first collective that nobody waits for
};

Worker::Worker(Steps steps) : state_(std::make_shared<State>(std::move(steps))) {}

Worker::~Worker() { stop(); }

bool Worker::State::take_turn(const WorkPointer& work) {
  const std::lock_guard lock(mutex);
  if (running || !queue.empty() || stopping || !refusal.empty()) return false;
  running = work, in_backend = true;
  return true;
}

// Whoever was left behind in the backend has nothing to come back to.
void Worker::State::come_back() {
  std::unique_lock lock(mutex);
  in_backend = false;
  if (!left_behind) return;
  lock.unlock();
  for (;;) pause();
}

// The works behind it go on before callbacks are called, which may wait for those.
void Worker::State::carry_out(const WorkPointer& work) {
  work->take_up();
  std::exception_ptr error;
  int source = -1;
  try {
    source = steps.run(*work);
  } catch (...) {
    error = std::current_exception();
  }
  come_back();
  try {
    error = steps.settle(*work, error);
  } catch (...) {
    error = std::current_exception();
  }
  const QueuedWork::Callbacks callbacks = work->end(std::move(error), source);
  {
    const std::lock_guard lock(mutex);
    running.reset();
  }
  changed.notify_all();
  for (const auto& callback : callbacks) callback();
}

WorkPointer Worker::State::take_next() {
  WorkPointer work = std::move(queue.front());
  queue.pop_front();
  in_backend = true;
  return running = std::move(work);
}

void Worker::State::loop() {
  for (;;) {
    WorkPointer work;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stopping || may_carry_out_next(); });
      if (stopping) return;
      work = take_next();
    }
    carry_out(work);
  }
}

// In the thread of the worker, which nobody else stands in for.
void Worker::State::carry_out_up_to(const QueuedWork& wanted) {
  while (!wanted.is_completed()) {
    WorkPointer work;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return may_carry_out_next() || wanted.is_completed(); });
      if (!may_carry_out_next()) return;
      work = take_next();
    }
    carry_out(work);
  }
}

WorkPointer Worker::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running;
}

size_t Worker::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

void Worker::run(const WorkPointer& work, bool here) {
  // The worker may end meanwhile.
  const std::shared_ptr<State> state = state_;
  if (here && state->take_turn(work)) {
    state->carry_out(work);
  } else {
    queue(work);
    if (state->thread.get_id() == std::this_thread::get_id()) state->carry_out_up_to(*work);
  }
  work->wait();
}

void Worker::queue(const WorkPointer& work) {
  std::string refusal;
  {
    const std::lock_guard lock(state_->mutex);
    refusal = state_->refusal;
    if (refusal.empty()) {
      if (!state_->thread.joinable())
        state_->thread = begin_thread([state = state_] { state->loop(); });
      state_->queue.push_back(work);
    }
  }
  if (refusal.empty())
    state_->changed.notify_all();
  else
    work->fail(never_begun(*work, refusal));
}

void Worker::fail_all(const std::string& why) {
  std::deque<WorkPointer> left;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->refusal.empty()) state_->refusal = why;
    left.swap(state_->queue);
  }
  for (const auto& work : left) work->fail_elsewhere(never_begun(*work, why));
  state_->changed.notify_all();
}

bool Worker::State::wait_for_running() {
  std::unique_lock lock(mutex);
  auto patience = Deadline::never();
  while (in_backend && !left_behind) {
    changed.wait_for(lock, Milliseconds(50));
    if (!running || !running->is_completed()) continue;
    if (patience.is_never()) patience = Deadline::after(kPatience);
    if (!patience.passed() || !in_backend) continue;
    left_behind = true;
  }
  return !left_behind;
}

bool Worker::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  fail_all("its process group was destroyed before it began");
  state_->changed.notify_all();
  std::thread& thread = state_->thread;
  const bool is_own = thread.get_id() == std::this_thread::get_id();
  const bool returned = is_own || state_->wait_for_running();
  if (!thread.joinable()) return returned;
  returned && !is_own ? thread.join() : thread.detach();
  return returned;
}

}  // namespace opweave::distributed
