// HashStore: a store within one process, for its threads.
#pragma once

#include <memory>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/store/store.h"

namespace opweave::distributed {

class HashStore final : public Store {
 public:
  HashStore();
  ~HashStore() override;

  std::string describe() const override { return "HashStore"; }
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
  // Shared by clones.
  struct State;
  using Lock = std::unique_lock<ForkSafeMutex>;

  explicit HashStore(std::shared_ptr<State> state, Milliseconds timeout);
  // Waits until something happens to a key; false when the deadline passed first.
  bool block(Lock& lock, const std::string& key, const Deadline& deadline);
  // Waits for values (or queues, where they count) of all keys, and holds the lock at the end.
  void await_all(Lock& lock, const char* method, const Keys& keys, const TimeLimit& limit,
                 bool queues_count);

  std::shared_ptr<State> state_;
};

}  // namespace opweave::distributed
