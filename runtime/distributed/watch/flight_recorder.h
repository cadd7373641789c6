// FlightRecorder: the last collectives of this process, in a ring. Reading it needs neither Python
// nor the store nor a device.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/distributed/watch/record.h"

namespace opweave::distributed {

class FlightRecorder {
 public:
  // As large as the settings say; lives as long as the process. A forked process has its own.
  static FlightRecorder& of_process();
  // Keeps so many; nothing for 0.
  explicit FlightRecorder(size_t capacity) : ring_(capacity) {}

  // Returns the record's id, 0 where nothing is kept.
  uint64_t record(const std::shared_ptr<const GroupName>& group, const Collective& collective,
                  const CallSite& site) noexcept;
  void start(uint64_t id) noexcept;
  // With an error: it failed.
  void end(uint64_t id, std::string_view error) noexcept;
  // What it was called from; empty where that is forgotten.
  CallSite site_of(uint64_t id) const;

  // A copy, oldest first.
  std::vector<Record> records() const;

 private:
  Record* find(uint64_t id);

  mutable std::mutex mutex_;
  std::vector<Record> ring_;
  uint64_t last_ = 0;  // id
};

}  // namespace opweave::distributed
