// Addresses, listening and connecting.
#include "runtime/distributed/store/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The addresses of a host, or why there are none.
Addresses find_addresses(const std::string& host, uint16_t port, std::string& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    error = str("the host ", quoted_whole(host), " is not found: ",
                status == EAI_SYSTEM ? system_error_text(errno) : gai_strerror(status));
  }
  return {status == 0 ? found : nullptr, &freeaddrinfo};
}

Descriptor open_socket(const addrinfo& address) {
  return Descriptor(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
}

// TCP_RTO_MAX_MS, which headers do not have that are older than the system.
constexpr int kLongestPauseOption = 44;
// Of a peer to whom something was sent.
constexpr Milliseconds kLongestSilence{30'000};

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

// 0, or the error of a connection that is being made.
int finish_connect(int socket, const Deadline& deadline) {
  if (!wait_for(socket, POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// A port of one's own host that is free may be given to the client itself: then it talks to itself.
bool is_own_end(int socket) {
  sockaddr_storage own{}, other{};
  socklen_t own_size = sizeof own, other_size = sizeof other;
  getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size);
  getpeername(socket, reinterpret_cast<sockaddr*>(&other), &other_size);
  return own_size == other_size &&
         std::string_view(reinterpret_cast<char*>(&own), own_size) ==
             std::string_view(reinterpret_cast<char*>(&other), other_size);
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

Socket listen_on(const std::string& host, uint16_t port) {
  std::string error;
  const Addresses addresses = find_addresses(host, port, error);
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
  const Addresses addresses = find_addresses(host, port, error);
  for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    Descriptor made = open_socket(*address);
    int failure = made.is_open() ? 0 : errno;
    if (failure == 0 && connect(made.get(), address->ai_addr, address->ai_addrlen) != 0) {
      failure = errno == EINPROGRESS ? finish_connect(made.get(), deadline) : errno;
    }
    if (failure == 0 && is_own_end(made.get())) failure = ECONNREFUSED;
    if (failure == 0) {
      prepare_socket(made.get());
      return Socket(std::move(made));
    }
    error = system_error_text(failure);
  }
  return Socket();
}

Descriptor reserve_descriptor() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace opweave::distributed
