// Addresses, listening and connecting.
#include "runtime/distributed/store/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/distributed/store/addresses.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

// TCP_RTO_MAX_MS, which headers do not have that are older than the system.
constexpr int kLongestPauseOption = 44;
// Of a peer to whom something was sent.
constexpr Milliseconds kLongestSilence{30'000};

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

std::string show_address(const std::string& host, uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return is_v6 ? str("[", host, "]:", port) : str(host, ":", port);
}

void prepare_socket(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  repeat_soon(socket, kLongestSilence);
}

void repeat_soon(int socket, Milliseconds given_up) {
  // Without it so many repetitions end the connection, which are over soon when they come so often.
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(given_up.count()));
  set_option(socket, IPPROTO_TCP, kLongestPauseOption, 1000);
}

Socket listen_on(const std::string& host, uint16_t port, const Deadline& deadline) {
  std::string error;
  const Addresses addresses = find_addresses(host, port, deadline, error);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    Descriptor listener = open_socket(*address);
    if (listener.is_open()) {
      set_option(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
      if (bind(listener.get(), address->ai_addr, address->ai_addrlen) == 0 &&
          listen(listener.get(), SOMAXCONN) == 0) {
        return Socket(std::move(listener));
      }
    }
    error = system_error_text(errno);
    if (errno == EADDRNOTAVAIL) error += " (the host is not this one)";
  }
  throw DistNetworkError(str("TCPStore(", show_address(host, port),
                             "): the server socket has failed to listen: ", error));
}

uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw DistNetworkError(
        str("file descriptor ", socket, " is no socket: ", system_error_text(errno)));
  }
  const bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

Socket try_connect(const std::string& host, uint16_t port, const Deadline& deadline,
                   std::string& error) {
  const Addresses addresses = find_addresses(host, port, deadline, error);
  if (addresses == nullptr) return Socket();
  Descriptor made = connect_to_any(*addresses, deadline, error);
  if (!made.is_open()) return Socket();
  prepare_socket(made.get());
  return Socket(std::move(made));
}

Descriptor reserve_descriptor() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace opweave::distributed
