// What the server of a TCPStore does with messages: a table, and the clients that wait for its
// keys. Nothing here reads or writes sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/distributed/store/frame.h"
#include "runtime/distributed/store/table.h"
#include "runtime/distributed/store/waiters.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

// One client of the server, as far as messages go.
struct Client {
  enum State { kNew, kChallenged, kServed };
  // A request that is answered later.
  struct Wait {
    Message message;
    std::vector<std::string> keys;
    // The keys before this one have been there.
    size_t next = 0;
    // The key that it waits for at present, and how many have to join.
    std::string key;
    int64_t number = 0;
  };

  State state = kNew;
  std::string client_nonce;
  std::string server_nonce;
  std::optional<Wait> wait;
  // When the wait, or the patience with a client that does not say who it is, ends.
  Deadline deadline = Deadline::never();
  // Frames to be sent; after them the connection may have to end.
  std::string output;
  bool ends = false;
};

class Service {
 public:
  // Without a secret everybody is served.
  explicit Service(std::string secret) : secret_(std::move(secret)) {}

  size_t max_frame_bytes(const Client& client) const {
    return client.state == Client::kServed ? kMaxFrameBytes : kMaxHandshakeBytes;
  }
  // Does what a client asks, and answers it or makes it wait.
  void handle(Client& client, const Frame& frame);
  // The time of a client's wait is over.
  void time_out(Client& client);
  // Gives a reason and ends the connection.
  void refuse(Client& client, std::string_view reason);
  // The client is gone.
  void forget(Client& client);

  // The other clients that got answers since this was last asked.
  std::vector<Client*> take_answered() { return std::exchange(answered_, {}); }

 private:
  void greet(Client& client, const Frame& frame);
  void prove_back(Client& client, const Frame& frame);
  void change(Client& client, const Frame& frame);
  void look(Client& client, const Frame& frame);
  void compare_set(Client& client, const Frame& frame);
  void join(Client& client, const Frame& frame);
  void disagree(const std::string& why);
  void begin_wait(Client& client, const Frame& frame);

  void set(const std::string& key, std::string_view value);
  void wake(const std::string& key);
  // Answers a wait that is over; otherwise says which key it waits for.
  bool try_answer(Client& client);
  bool answer_values(Client& client);
  int64_t joined() const;
  bool is_whole() const { return joined() >= world_size_; }

  std::string secret_;
  Table table_;
  // Of the world that joins, as who came first says; 0 before anybody came.
  int64_t world_size_ = 0;
  std::string first_to_join_;
  std::string disagreement_;  // on that size
  Waiters<Client> waiters_;
  std::vector<Client*> answered_;
};

}  // namespace opweave::distributed
