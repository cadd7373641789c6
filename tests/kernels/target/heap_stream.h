// A stream of the heap target: a queue of functions and the thread that runs them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace opweave::heap {

// Lives until the process ends, as its thread does.
class WorkQueue {
 public:
  WorkQueue() {
    std::thread([this] { serve(); }).detach();
  }

  void push(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      ++unfinished_;
    }
    changed_.notify_all();
  }
  bool idle() {
    std::lock_guard lock(mutex_);
    return unfinished_ == 0;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unfinished_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return !work_.empty(); });
      auto work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      --unfinished_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  int unfinished_ = 0;
};

// One recording of an event.
class Point {
 public:
  using Clock = std::chrono::steady_clock;

  void reach() {
    {
      std::lock_guard lock(mutex_);
      reached_ = true;
      when_ = Clock::now();
    }
    changed_.notify_all();
  }
  bool reached() {
    std::lock_guard lock(mutex_);
    return reached_;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }
  Clock::time_point when() {
    std::lock_guard lock(mutex_);
    return when_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point when_;
};

}  // namespace opweave::heap
