// One connection of a client to the server of a TCPStore.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/store/frame.h"
#include "runtime/distributed/store/socket.h"

namespace opweave::distributed {

// Where the server is, and what it asks for.
struct ServerAddress {
  std::string host;
  uint16_t port = 0;
  std::string secret;

  // "TCPStore(node0:29500)", with which errors begin.
  std::string describe() const { return "TCPStore(" + show_address(host, port) + ")"; }
};

struct Answer {
  Message message{};
  int64_t number = 0;
  std::vector<std::string> strings;
};

class Channel {
 public:
  // With `retries`, until the deadline: the server may still have to begin. What is refused is not
  // tried again.
  static std::unique_ptr<Channel> open(const ServerAddress& address, Milliseconds timeout,
                                       bool retries);

  // `what` is said in errors: "get 'k'".
  void send(std::string_view frames, const Deadline& deadline, const std::string& what);
  // Waits for the answer; DistNetworkError where there is none before the deadline.
  Answer receive(const Deadline& deadline, const std::string& what);
  // Before something that is not answered: an error that arrived since, or the end of the server.
  void check_alive(const std::string& what);

 private:
  Channel(const ServerAddress& address, Socket socket);
  void greet(const Deadline& deadline);
  // False when the deadline passed.
  bool receive_some(const Deadline& deadline, const std::string& what);
  // Throws where the answer is an error.
  void check_answer(const Answer& answer) const;
  [[noreturn]] void fail(const std::string& what, const std::string& reason) const;

  const ServerAddress& address_;
  Socket socket_;
  std::string input_;
};

}  // namespace opweave::distributed
