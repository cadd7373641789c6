// Store: keys and values that processes share to find one another, count and wait.
//
// Keys are text and values bytes; both may hold anything, within limits.h. Every method may be
// called from several threads at once. What waits for a key ends when the key is there, and
// otherwise with a DistStoreError after the timeout, which names the store, the keys and the time.
// A timeout of zero means to wait for ever, a negative one not to wait, as in PyTorch. Errors of
// the network are DistNetworkError; keys and values that are too large, and counters that are no
// numbers, are errors of kind kValue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/distributed/store/time_limit.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

class Store {
 public:
  using Keys = std::vector<std::string>;
  using Values = std::vector<std::string>;

  static constexpr Milliseconds kDefaultTimeout{300'000};
  static constexpr Milliseconds kNoTimeout{0};

  explicit Store(Milliseconds timeout = kDefaultTimeout) : timeout_(timeout) {}
  virtual ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The store as errors name it: "TCPStore(node0:29500)".
  virtual std::string describe() const = 0;
  // Another object for the same keys, with the same timeout.
  virtual std::shared_ptr<Store> clone() = 0;

  virtual void set(const std::string& key, const std::string& value) = 0;
  // The value; waits for it.
  virtual std::string get(const std::string& key) = 0;
  // Adds to a counter, which begins at zero; returns the sum. get() returns it as text.
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  // Sets `desired` where the value is `expected`, or where there is none and `expected` is empty.
  // Returns the value afterwards; where the key is not there, `expected`.
  virtual std::string compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) = 0;
  // Whether there was such a key.
  virtual bool delete_key(const std::string& key) = 0;
  // Whether all keys are there; does not wait.
  virtual bool check(const Keys& keys) = 0;
  // The keys with values, one of them for the store itself where it counts who uses it.
  virtual int64_t num_keys() = 0;
  virtual void wait(const Keys& keys, Milliseconds timeout) = 0;
  void wait(const Keys& keys) { wait(keys, timeout()); }

  virtual Milliseconds timeout() const { return timeout_.load(std::memory_order_relaxed); }
  virtual void set_timeout(Milliseconds timeout) { timeout_.store(timeout); }

  // Whether append, multi_get, multi_set and queues are there. Those of Opweave have them; a store
  // that somebody else writes may leave them out.
  virtual bool has_extended_api() const { return false; }
  virtual void append(const std::string& key, const std::string& value);
  virtual Values multi_get(const Keys& keys);
  virtual void multi_set(const Keys& keys, const Values& values);
  // In no order.
  virtual Keys list_keys();
  virtual void queue_push(const std::string& key, const std::string& value);
  // The oldest value. Waits for one; with block = false a QueueEmptyError says that there is none.
  virtual std::string queue_pop(const std::string& key, bool block = true);
  virtual int64_t queue_len(const std::string& key);

  // Returns when `world_size` callers named this key; then it can be used again.
  void barrier(const std::string& key, int64_t world_size, Milliseconds timeout);
  void barrier(const std::string& key, int64_t world_size) { barrier(key, world_size, timeout()); }

 protected:
  // Of a call that begins now: its timeout is the store's, or one of its own.
  TimeLimit limit() const;
  static TimeLimit limit(Milliseconds timeout);
  // Errors of waits name so many keys.
  static constexpr size_t kShownKeys = 8;
  // "…: wait timeout after 200ms, keys: 'a', 'b' (1 of 3 are there)", for keys that are not there.
  // `missing` may hold only the first of them.
  [[noreturn]] void throw_timeout(const char* method, Milliseconds timeout, const Keys& missing,
                                  size_t missing_count, size_t asked) const;
  [[noreturn]] void throw_timeout(const char* method, Milliseconds timeout, const Keys& missing,
                                  size_t asked) const {
    throw_timeout(method, timeout, missing, missing.size(), asked);
  }
  [[noreturn]] void throw_empty_queue(const std::string& key) const;

 private:
  std::atomic<Milliseconds> timeout_;
};

}  // namespace opweave::distributed
