// Servers are begun, or shared by several stores.
#include "runtime/distributed/store/shared_servers.h"

#include <fcntl.h>

#include <cerrno>
#include <map>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

// The one socket that is not made here.
Socket take_over(int number, const TCPStoreOptions& options) {
  const int flags = fcntl(number, F_GETFL);
  if (flags < 0) {
    throw DistNetworkError(str("TCPStore(", show_address(options.host, options.port),
                               "): cannot listen on file descriptor ", number, ": ",
                               system_error_text(errno)));
  }
  const uint16_t port = port_of(number);
  OW_CHECK_VALUE(options.port == 0 || port == options.port, "TCPStore: master_listen_fd ", number,
                 " listens on port ", port, ", but port ", options.port, " was given");
  // The server never waits for a socket alone.
  fcntl(number, F_SETFL, flags | O_NONBLOCK);
  return Socket(Descriptor(number));
}

std::shared_ptr<TCPServer> begin_server(const TCPStoreOptions& options) {
  Socket listener = options.master_listen_fd
                        ? take_over(*options.master_listen_fd, options)
                        : listen_on(options.host, options.port, Deadline::after(options.timeout));
  return std::make_shared<TCPServer>(std::move(listener), options.secret);
}

}  // namespace

std::shared_ptr<TCPServer> begin_or_share_server(const TCPStoreOptions& options) {
  if (!options.multi_tenant) return begin_server(options);
  static ForkSafeMutex mutex;
  static auto* shared = new std::map<std::pair<std::string, uint16_t>, std::weak_ptr<TCPServer>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<TCPServer>& known = (*shared)[{options.host, options.port}];
  if (std::shared_ptr<TCPServer> server = known.lock(); server && options.port != 0) {
    OW_CHECK_VALUE(server->has_secret(options.secret), "TCPStore(",
                   show_address(options.host, options.port),
                   "): the server that this process has there asks for another secret");
    return server;
  }
  const std::shared_ptr<TCPServer> server = begin_server(options);
  (*shared)[{options.host, server->port()}] = server;
  return server;
}

}  // namespace opweave::distributed
