// Processes that are forked while other threads are in the middle of something.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace opweave::test {

constexpr unsigned kForkLimit = 20;  // seconds, after which the system ends a forked process

// How a forked process that does something ended: 0, or the signal of the alarm.
inline int status_of_child(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kForkLimit);
    act();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Whether all forked processes could do what two threads do all the time.
inline bool can_always(const std::function<void()>& act, int forks = 300) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!done) act();
    });
  bool could = true;
  for (int i = 0; i < forks && could; ++i) could = status_of_child(act) == 0;
  done = true;
  for (std::thread& thread : threads) thread.join();
  return could;
}

}  // namespace opweave::test
