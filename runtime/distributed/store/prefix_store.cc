// Calls of a store with the prefix before each key.
#include "runtime/distributed/store/prefix_store.h"

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {

template <class Call>
auto PrefixStore::within_own(Call&& call) const {
  if (!has_timeout_ || TimeLimitScope::current() != nullptr) return call();
  const TimeLimitScope scope(Store::timeout());
  return call();
}

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
  auto copy = std::make_shared<PrefixStore>(name, within_own([&] { return store_->clone(); }));
  if (has_timeout_) copy->set_timeout(Store::timeout());
  return copy;
}

std::shared_ptr<Store> PrefixStore::underlying_non_prefix_store() const {
  std::shared_ptr<Store> store = store_;
  while (auto* prefix = dynamic_cast<PrefixStore*>(store.get())) store = prefix->store_;
  return store;
}

Milliseconds PrefixStore::timeout() const {
  return has_timeout_ ? Store::timeout() : store_->timeout();
}

void PrefixStore::set_timeout(Milliseconds timeout) {
  Store::set_timeout(timeout);
  has_timeout_ = true;
}

Store::Keys PrefixStore::joined(const Keys& keys) const {
  Keys all;
  all.reserve(keys.size());
  for (const std::string& key : keys) all.push_back(joined(key));
  return all;
}

void PrefixStore::set(const std::string& key, const std::string& value) {
  within_own([&] { store_->set(joined(key), value); });
}
std::string PrefixStore::get(const std::string& key) {
  return within_own([&] { return store_->get(joined(key)); });
}
int64_t PrefixStore::add(const std::string& key, int64_t amount) {
  return within_own([&] { return store_->add(joined(key), amount); });
}
std::string PrefixStore::compare_set(const std::string& key, const std::string& expected,
                                     const std::string& desired) {
  return within_own([&] { return store_->compare_set(joined(key), expected, desired); });
}
bool PrefixStore::delete_key(const std::string& key) {
  return within_own([&] { return store_->delete_key(joined(key)); });
}
bool PrefixStore::check(const Keys& keys) {
  return within_own([&] { return store_->check(joined(keys)); });
}
int64_t PrefixStore::num_keys() {
  return within_own([&] { return store_->num_keys(); });
}
void PrefixStore::wait(const Keys& keys, Milliseconds timeout) {
  store_->wait(joined(keys), timeout);
}
void PrefixStore::append(const std::string& key, const std::string& value) {
  within_own([&] { store_->append(joined(key), value); });
}
Store::Values PrefixStore::multi_get(const Keys& keys) {
  return within_own([&] { return store_->multi_get(joined(keys)); });
}
void PrefixStore::multi_set(const Keys& keys, const Values& values) {
  within_own([&] { store_->multi_set(joined(keys), values); });
}
void PrefixStore::queue_push(const std::string& key, const std::string& value) {
  within_own([&] { store_->queue_push(joined(key), value); });
}
std::string PrefixStore::queue_pop(const std::string& key, bool block) {
  return within_own([&] { return store_->queue_pop(joined(key), block); });
}
int64_t PrefixStore::queue_len(const std::string& key) {
  return within_own([&] { return store_->queue_len(joined(key)); });
}

Store::Keys PrefixStore::list_keys() {
  Keys own;
  for (const std::string& key : within_own([&] { return store_->list_keys(); })) {
    if (key.starts_with(prefix_)) own.push_back(key.substr(prefix_.size()));
  }
  return own;
}

}  // namespace opweave::distributed
