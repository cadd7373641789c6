// PeerWatch: tells when the process of another rank ends, without asking again and again.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::shm {

class PeerWatch {
 public:
  // `ended` is called from a thread with the index of each process that ends.
  PeerWatch(const std::vector<int>& processes, std::function<void(size_t)> ended);
  ~PeerWatch();

 private:
  void watch();

  std::vector<Descriptor> processes_;
  std::function<void(size_t)> ended_;
  Event stop_;
  std::thread thread_;
};

}  // namespace opweave::distributed::shm
