// libgloo's sockets, which it does not show: found among all that the process has, by the addresses
// of the devices that they connect.
#include "runtime/distributed/backends/gloo/patience.h"

#include <dirent.h>
#include <gloo/transport/tcp/address.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <climits>
#include <cstdlib>
#include <memory>
#include <set>

#include "runtime/distributed/store/socket.h"

namespace opweave::distributed::gloo_wire {
namespace {

// Address and port, to compare.
std::string name_of(const sockaddr_storage& name) {
  const auto bytes = [](const auto& part) {
    return std::string(reinterpret_cast<const char*>(&part), sizeof part);
  };
  if (name.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    return bytes(v4.sin_addr) + bytes(v4.sin_port);
  }
  if (name.ss_family != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
  return bytes(v6.sin6_addr) + bytes(v6.sin6_port);
}

using GetName = int (*)(int, sockaddr*, socklen_t*);
std::string name_of(int socket, GetName get) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  return get(socket, reinterpret_cast<sockaddr*>(&name), &size) == 0 ? name_of(name) : "";
}

}  // namespace

void outlast_cuts(const std::vector<std::string>& devices) {
  std::set<std::string> names;
  for (const std::string& device : devices)
    names.insert(
        name_of(gloo::transport::tcp::Address({device.begin(), device.end()}).getSockaddr()));
  const auto close = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> all(opendir("/proc/self/fd"));
  if (all == nullptr) return;
  while (const dirent* one = readdir(all.get())) {
    const int socket = std::atoi(one->d_name);
    // Who called has the other's device at the far end, who was called its own at this one.
    const std::string peer = name_of(socket, &getpeername);
    if (peer.empty() || (!names.contains(peer) && !names.contains(name_of(socket, &getsockname))))
      continue;
    // Deadlines are those of the collectives, and the roll's connections tell who is gone.
    repeat_soon(socket, Milliseconds(INT_MAX));
  }
}

}  // namespace opweave::distributed::gloo_wire
