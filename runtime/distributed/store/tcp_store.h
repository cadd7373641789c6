// TCPStore: a store that one process serves and others reach by its host and port.
//
// set, multi_set and queue_push are sent and not waited for, as in PyTorch; whatever the same
// object asks next sees them. Where one of them failed at the server, the next call says so. What
// waits has a connection of its own while it does, so that other threads that use the same object
// go on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/distributed/store/channel.h"
#include "runtime/distributed/store/store.h"
#include "runtime/distributed/store/turns.h"

namespace opweave::distributed {

class TCPServer;

struct TCPStoreOptions {
  // The master listens on an address of this host and on no other; port 0 is one that is free.
  std::string host;
  uint16_t port = 0;
  // How many stores there will be; none if nobody knows.
  std::optional<int64_t> world_size;
  bool is_master = false;
  // Of connecting, and the store's.
  Milliseconds timeout = Store::kDefaultTimeout;
  // The master waits until all stores of the world are connected.
  bool wait_for_workers = true;
  // Masters of one process with the same port share a server.
  bool multi_tenant = false;
  // A socket that listens already; the store closes it.
  std::optional<int> master_listen_fd;
  // Who does not know it is not served. It is not sent (secret.h).
  std::string secret;
};

class TCPStore final : public Store {
 public:
  explicit TCPStore(TCPStoreOptions options);
  ~TCPStore() override;

  const std::string& host() const { return address_.host; }
  // The how manieth of those that the server's world has; 0 where nobody counts.
  int64_t place() const { return place_; }
  uint16_t port() const { return address_.port; }

  std::string describe() const override { return address_.describe(); }
  std::shared_ptr<Store> clone() override;
  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const Keys& keys) override;
  int64_t num_keys() override;
  using Store::wait;
  void wait(const Keys& keys, Milliseconds timeout) override;
  bool has_extended_api() const override { return true; }
  void append(const std::string& key, const std::string& value) override;
  Values multi_get(const Keys& keys) override;
  void multi_set(const Keys& keys, const Values& values) override;
  Keys list_keys() override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;

 private:
  using Strings = std::span<const std::string_view>;
  // Has the main connection to itself.
  class Turn;

  TCPStore(const TCPStore& other, Milliseconds timeout);
  void join(int64_t world_size, const TimeLimit& limit, bool waits);

  void tell(Message message, Strings strings);
  Answer ask(Message message, int64_t number, Strings strings) {
    return ask(message, number, strings, limit());
  }
  Answer ask(Message message, int64_t number, Strings strings, const TimeLimit& limit);
  // With a connection of its own, for requests that wait at the server.
  Answer ask_waiting(Message message, Strings strings, const TimeLimit& limit);
  // Asks at once, and then waits where that is not there and the limit allows it.
  Answer ask_patiently(Message message, Strings strings, const TimeLimit& limit);
  Answer await_keys(Message message, const char* method, const Keys& keys, const TimeLimit& limit);
  std::unique_ptr<Channel> take_waiting_channel(const TimeLimit& limit);

  ServerAddress address_;
  std::shared_ptr<TCPServer> server_;
  int64_t place_ = 0;

  // The connections belong to the process that made them.
  uint32_t forks_;
  Turns turns_;  // of the main one
  std::unique_ptr<Channel> main_;
  ForkSafeMutex mutex_;  // of the others
  std::vector<std::unique_ptr<Channel>> idle_;
};

}  // namespace opweave::distributed
