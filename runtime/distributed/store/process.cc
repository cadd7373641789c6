// Numbers of processes and names of hosts.
#include "runtime/distributed/store/process.h"

#include <unistd.h>

#include "runtime/core/base/str.h"

namespace opweave::distributed {

std::string own_process() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return str("process ", getpid(), " on ", host);
}

}  // namespace opweave::distributed
