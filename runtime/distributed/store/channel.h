// One connection of a client to the server of a TCPStore.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/store/buffer.h"
#include "runtime/distributed/store/frame.h"
#include "runtime/distributed/store/socket.h"
#include "runtime/distributed/store/time_limit.h"

namespace opweave::distributed {

// Where the server is, and what it asks for.
struct ServerAddress {
  std::string host;
  uint16_t port = 0;
  std::string secret;

  // "TCPStore(node0:29500)", with which errors begin.
  std::string describe() const { return "TCPStore(" + show_address(host, port) + ")"; }
};

// What is asked, as errors say it: "get 'k'".
struct Question {
  Message message{};
  int64_t number = 0;
  std::span<const std::string_view> strings;

  std::string describe() const;
};

struct Answer {
  Message message{};
  int64_t number = 0;
  std::vector<std::string> strings;
};

class Channel {
 public:
  // With `retries`, until the limit: the server may still have to begin. What is refused is not
  // tried again.
  static std::unique_ptr<Channel> open(const ServerAddress& address, const TimeLimit& limit,
                                       bool retries);

  void send(const Question& question, const Deadline& deadline);
  // Waits for the answer; DistNetworkError where there is none before the deadline.
  Answer receive(const Question& question, const Deadline& deadline);
  // Before something that is not answered: an error that arrived since, or the end of the server.
  // Looks only where the last look was some time ago, as it costs as much as the sending.
  void check_alive(const Question& question, Deadline::Clock::time_point now);

 private:
  Channel(const ServerAddress& address, Socket socket);
  void greet(const Deadline& deadline);
  // False when the deadline passed.
  bool receive_some(const Question& question, const Deadline& deadline);
  void send_all(std::string_view bytes, bool more, const Question& question,
                const Deadline& deadline);
  void look_for_end(const Question& question);
  // Throws where the answer is an error.
  void check_answer(const Answer& answer) const;
  [[noreturn]] void fail(const Question& question, const std::string& reason) const;

  const ServerAddress& address_;
  Socket socket_;
  std::string output_;
  Buffer input_;
  Deadline::Clock::time_point looked_{};
};

}  // namespace opweave::distributed
