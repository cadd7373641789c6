// Reports: the flight record as JSON, with the names that PyTorch gives its parts, and as a file.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/watch/record.h"
#include "runtime/distributed/watch/watched.h"

namespace opweave::distributed {

struct Report {
  int rank = 0;        // of this process in the world
  std::string reason;  // why it is made
  uint64_t heartbeat = 0;
  struct Group {
    std::shared_ptr<const GroupName> name;
    std::string failure;
    std::vector<Progress> progress;
    Staged staged = {};
  };
  std::vector<Group> groups;
  std::vector<Record> records;
};

// One object: "version", "rank", "host", "process", "time_ns", "reason", "heartbeat", "pg_config",
// "pg_status", "entries".
std::string to_json(const Report& report);

// Writes it whole or not at all, in place of an older one. RuntimeError that names the path.
void write_report(const std::string& path, const std::string& json);

// A line on stderr, as far as it takes one at once; without anything that may be locked.
void say(const std::string& line) noexcept;

}  // namespace opweave::distributed
