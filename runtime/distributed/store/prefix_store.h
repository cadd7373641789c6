// PrefixStore: another store, in which all keys begin with a name of one's own.
#pragma once

#include "runtime/distributed/store/store.h"

namespace opweave::distributed {

class PrefixStore : public Store {
 public:
  // The key "k" is the other store's "<prefix>/k". The timeout is the other store's until this one
  // is given its own, of which the other knows nothing.
  PrefixStore(std::string prefix, std::shared_ptr<Store> store);

  std::string describe() const override;
  std::shared_ptr<Store> clone() override;
  const std::shared_ptr<Store>& underlying_store() const { return store_; }
  // Below all prefixes.
  std::shared_ptr<Store> underlying_non_prefix_store() const;

  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const Keys& keys) override;
  // Of the whole other store.
  int64_t num_keys() override;
  using Store::wait;
  void wait(const Keys& keys, Milliseconds timeout) override;
  Milliseconds timeout() const override;
  void set_timeout(Milliseconds timeout) override;
  bool has_extended_api() const override { return store_->has_extended_api(); }
  void append(const std::string& key, const std::string& value) override;
  Values multi_get(const Keys& keys) override;
  void multi_set(const Keys& keys, const Values& values) override;
  Keys list_keys() override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;

 protected:
  Keys joined(const Keys& keys) const;

 private:
  std::string joined(const std::string& key) const { return prefix_ + key; }
  // Calls a method of the other store, within the timeout that this one has of its own.
  template <class Call>
  auto within_own(Call&& call) const;

  std::string prefix_;  // with its slash
  std::shared_ptr<Store> store_;
  std::atomic<bool> has_timeout_{false};  // of its own
};

}  // namespace opweave::distributed
