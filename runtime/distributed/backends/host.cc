// What the system says of this host.
#include "runtime/distributed/backends/host.h"

#include <unistd.h>

#include <fstream>

#include "runtime/core/str.h"

namespace opweave::distributed {
namespace {

// "boot-id pid:[4026531836]".
std::string boot_and(const char* name_space) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char space[64] = {};
  const ssize_t n = readlink(str("/proc/self/ns/", name_space).c_str(), space, sizeof space - 1);
  return boot.empty() || n <= 0 ? std::string() : str(boot, " ", space);
}

}  // namespace

std::string host_identity() {
  const std::string host = boot_and("pid");
  return host.empty() ? host : str(host, " ", static_cast<int64_t>(geteuid()));
}

std::string network_identity() { return boot_and("net"); }

bool all_alike(const BackendContext& context, const std::string& what, const std::string& mine) {
  context.store->set(str(what, "/", context.rank), mine);
  bool alike = !mine.empty();
  // All are asked for, so that whoever is missing is missed here.
  for (int rank = 0; rank < context.size; ++rank)
    alike = context.store->get(str(what, "/", rank)) == mine && alike;
  return alike;
}

}  // namespace opweave::distributed
