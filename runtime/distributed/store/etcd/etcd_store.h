// EtcdStore: a store that a cluster of etcd keeps, for programs that are to outlive any of their
// hosts.
//
// The key k is etcd's "<prefix>/v/k"; values of a queue are keys below "<prefix>/q/". They stay
// when the programs end. Where the cluster loses members, calls go on with the others; none is done
// twice.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "runtime/distributed/store/etcd/client.h"
#include "runtime/distributed/store/store.h"

namespace opweave::distributed {

class Table;

class EtcdStore final : public Store {
 public:
  // Asks the cluster once, within the timeout: wrong places and passwords are known at once.
  explicit EtcdStore(EtcdOptions options, Milliseconds timeout = kDefaultTimeout);

  const std::string& prefix() const { return client_->prefix(); }
  std::string describe() const override { return client_->describe(); }
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
  // As many at once as etcd takes: 64 keys.
  Values multi_get(const Keys& keys) override;
  // As many at once as etcd takes: 100 keys, and values of 1 MiB together.
  void multi_set(const Keys& keys, const Values& values) override;
  Keys list_keys() override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;

 private:
  EtcdStore(std::shared_ptr<etcd::Client> client, Milliseconds timeout);
  // A call that answers at once, or in the store's timeout.
  etcd::Call call(const char* method, const std::string* key) const;
  // One that waits so long.
  etcd::Call waiting_call(const char* method, const std::string* key, const TimeLimit& limit) const;
  std::string place_of(std::string_view key) const;
  etcd::Span queue_of(std::string_view key) const;
  etcd::Span all_values() const;

  // Reads, computes and writes until nobody came between. `change` is given what there is, and
  // returns the new value or nothing, where all is as it should be.
  void update(const char* method, const std::string& key,
              const std::function<std::optional<std::string>(const Table&)>& change);
  void await_all(const char* method, const Keys& keys, const TimeLimit& limit, bool queues_count,
                 Values* values);

  std::shared_ptr<etcd::Client> client_;
};

}  // namespace opweave::distributed
