// The server of a TCPStore: one thread that serves all clients, asleep while nobody asks.
//
// Its loop is epoll's; a library such as libuv would bring its own kind of buffers, handles and
// shutdown for the few calls that are here. A client that sends nonsense is told so and
// disconnected, one that is slow or stopped is left waiting, and neither concerns the others:
// nothing here blocks, and memory is taken only for what was sent.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

#include "runtime/distributed/store/buffer.h"
#include "runtime/distributed/store/service.h"
#include "runtime/distributed/store/socket.h"

namespace opweave::distributed {

// A client and its socket.
struct Connection : Client {
  explicit Connection(Socket own) : socket(std::move(own)) {}

  Socket socket;
  // Bytes of frames that are not whole yet.
  Buffer input;
  // How much of the output is sent, and whether epoll tells when more can be.
  size_t sent = 0;
  bool awaits_room = false;
  // Where it stands in the list of deadlines.
  Deadline listed = Deadline::never();
};

class TCPServer {
 public:
  // Serves on this socket, which listens, until the object ends.
  TCPServer(Socket listener, std::string secret);
  ~TCPServer();
  TCPServer(const TCPServer&) = delete;

  uint16_t port() const { return port_; }
  bool has_secret(const std::string& secret) const { return secret == secret_; }

 private:
  using Listed = std::pair<Deadline::Clock::time_point, Connection*>;

  void run();
  void run_once();
  void serve(const epoll_event& event);
  void watch(int descriptor, uint32_t events, void* data, int operation);
  void accept_all();
  void refuse_one();
  // These return false where the connection is to be closed.
  bool read(Connection& connection);
  bool process(Connection& connection, std::string_view bytes, size_t& used);
  bool send(Connection& connection);
  // Sends what a client got, and notes its deadline.
  void settle(Connection& connection);
  void settle_answered();
  void time_out_late_ones();
  void close(Connection& connection);

  const std::string secret_;
  const int pid_;
  Socket listener_;
  uint16_t port_;
  Socket epoll_;
  Event stop_;
  bool stopped_ = false;
  // Given up to refuse a client when there are no file descriptors left.
  Descriptor reserve_;
  std::unique_ptr<char[]> buffer_;
  Service service_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::set<Listed> deadlines_;
  std::thread thread_;
};

}  // namespace opweave::distributed
