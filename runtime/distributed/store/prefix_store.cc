// Calls of a store with the prefix before each key.
#include "runtime/distributed/store/prefix_store.h"

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {

PrefixStore::PrefixStore(std::string prefix, std::shared_ptr<Store> store)
    : prefix_(std::move(prefix) + "/"), store_(std::move(store)) {
  OW_CHECK_TYPE(store_ != nullptr, "PrefixStore expects a store, but got None");
}

std::string PrefixStore::describe() const {
  const std::string_view name(prefix_.data(), prefix_.size() - 1);
  return str("PrefixStore(", quoted(name), ", ", store_->describe(), ")");
}

std::shared_ptr<Store> PrefixStore::clone() {
  const std::string name(prefix_.data(), prefix_.size() - 1);
  return std::make_shared<PrefixStore>(name, store_->clone());
}

std::shared_ptr<Store> PrefixStore::underlying_non_prefix_store() const {
  std::shared_ptr<Store> store = store_;
  while (auto* prefix = dynamic_cast<PrefixStore*>(store.get())) store = prefix->store_;
  return store;
}

Store::Keys PrefixStore::joined(const Keys& keys) const {
  Keys all;
  all.reserve(keys.size());
  for (const std::string& key : keys) all.push_back(joined(key));
  return all;
}

void PrefixStore::set(const std::string& key, const std::string& value) {
  store_->set(joined(key), value);
}
std::string PrefixStore::get(const std::string& key) { return store_->get(joined(key)); }
int64_t PrefixStore::add(const std::string& key, int64_t amount) {
  return store_->add(joined(key), amount);
}
std::string PrefixStore::compare_set(const std::string& key, const std::string& expected,
                                     const std::string& desired) {
  return store_->compare_set(joined(key), expected, desired);
}
bool PrefixStore::delete_key(const std::string& key) { return store_->delete_key(joined(key)); }
bool PrefixStore::check(const Keys& keys) { return store_->check(joined(keys)); }
int64_t PrefixStore::num_keys() { return store_->num_keys(); }
void PrefixStore::wait(const Keys& keys, Milliseconds timeout) {
  store_->wait(joined(keys), timeout);
}
void PrefixStore::append(const std::string& key, const std::string& value) {
  store_->append(joined(key), value);
}
Store::Values PrefixStore::multi_get(const Keys& keys) { return store_->multi_get(joined(keys)); }
void PrefixStore::multi_set(const Keys& keys, const Values& values) {
  store_->multi_set(joined(keys), values);
}
void PrefixStore::queue_push(const std::string& key, const std::string& value) {
  store_->queue_push(joined(key), value);
}
std::string PrefixStore::queue_pop(const std::string& key, bool block) {
  return store_->queue_pop(joined(key), block);
}
int64_t PrefixStore::queue_len(const std::string& key) { return store_->queue_len(joined(key)); }

Store::Keys PrefixStore::list_keys() {
  Keys own;
  for (const std::string& key : store_->list_keys()) {
    if (key.starts_with(prefix_)) own.push_back(key.substr(prefix_.size()));
  }
  return own;
}

}  // namespace opweave::distributed
