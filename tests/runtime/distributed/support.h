// What tests of stores share.
#pragma once

#include <dirent.h>

#include <functional>
#include <thread>
#include <vector>

namespace opweave::distributed {

// How many open files, or threads, there are: the entries of a folder.
inline size_t entries(const char* folder) {
  DIR* opened = opendir(folder);
  size_t count = 0;
  while (readdir(opened) != nullptr) ++count;
  closedir(opened);
  return count;
}

// Runs call(number) in so many threads.
inline void in_threads(int count, const std::function<void(int)>& call) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&call, i] { call(i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace opweave::distributed
