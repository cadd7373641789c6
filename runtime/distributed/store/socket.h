// TCP sockets: listening on one address, connecting to a host, both ends found dead by the system.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

// "node0:29500", "[::1]:29500".
std::string show_address(const std::string& host, uint16_t port);

// A socket, or a file with a lock, that only the process has that made it: a forked one would keep
// connections open whose owner has died, and locks that their owner has given back, and nobody
// would notice.
class Socket {
 public:
  explicit Socket(Descriptor descriptor = Descriptor());
  ~Socket() { reset(); }
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  int get() const { return descriptor_.get(); }
  bool is_open() const { return descriptor_.is_open(); }
  void reset();

 private:
  Descriptor descriptor_;
  uint32_t forks_ = 0;
};

// Listens on an address of the host and on nothing else; port 0 is one that is free.
Socket listen_on(const std::string& host, uint16_t port,
                 const Deadline& deadline = Deadline::never());
// The port that a socket is bound to.
uint16_t port_of(int socket);

// One attempt at each address of the host, each with a head start before the next one, so that an
// address where nobody answers does not keep the others from being tried. Without success it
// returns no socket and says in `error` why.
Socket try_connect(const std::string& host, uint16_t port, const Deadline& deadline,
                   std::string& error);

// What is not acknowledged is sent again at least once a second, so that a connection whose network
// was cut goes on soon after it is mended; the system's own pauses double up to two minutes. After
// `given_up` without an answer the connection is lost. Linux before 6.15 keeps its pauses.
void repeat_soon(int socket, Milliseconds given_up);
// Small messages go at once, and a peer whose host is gone is noticed.
void prepare_socket(int socket);
// A file descriptor that stays free until there are no others.
Descriptor reserve_descriptor();

}  // namespace opweave::distributed
