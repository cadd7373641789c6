// A table, a lock, and an event for each thread that waits.
#include "runtime/distributed/store/hash_store.h"

#include "runtime/distributed/store/limits.h"
#include "runtime/distributed/store/table.h"
#include "runtime/distributed/store/waiters.h"

namespace opweave::distributed {

struct HashStore::State {
  ForkSafeMutex mutex;
  Table table;
  Waiters<Event> waiters;
  uint32_t forks = fork_count();

  // A forked process has none of the threads that wait, nor their events.
  Lock hold() {
    Lock lock(mutex);
    if (forks != fork_count()) waiters = {};
    forks = fork_count();
    return lock;
  }

  void wake(const std::string& key) {
    for (Event* event : waiters.of(key)) event->set();
  }
  void set(const std::string& key, std::string_view value) {
    table.set(key, value);
    wake(key);
  }
};

HashStore::HashStore() : state_(std::make_shared<State>()) {}
HashStore::HashStore(std::shared_ptr<State> state, Milliseconds timeout)
    : Store(timeout), state_(std::move(state)) {}
HashStore::~HashStore() = default;

std::shared_ptr<Store> HashStore::clone() {
  return std::shared_ptr<Store>(new HashStore(state_, timeout()));
}

bool HashStore::block(Lock& lock, const std::string& key, const Deadline& deadline) {
  Event event;
  state_->waiters.add(key, &event);
  struct Leave {
    State& state;
    Lock& lock;
    const std::string& key;
    Event& event;
    ~Leave() {
      lock.lock();
      state.waiters.remove(key, &event);
    }
  } leave{*state_, lock, key, event};
  lock.unlock();
  return event.wait(deadline);
}

void HashStore::await_all(Lock& lock, const char* method, const Keys& keys, const TimeLimit& limit,
                          bool queues_count) {
  const auto is_there = [&](const std::string& key) {
    return queues_count ? state_->table.has(key) : state_->table.find(key) != nullptr;
  };
  while (true) {
    const auto missing = std::find_if_not(keys.begin(), keys.end(), is_there);
    if (missing == keys.end()) return;
    if (!limit.deadline.passed() && block(lock, *missing, limit.deadline)) continue;
    Keys all;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(all),
                 [&](const std::string& key) { return !is_there(key); });
    if (!all.empty()) throw_timeout(method, limit.timeout, all, keys.size());
  }
}

void HashStore::set(const std::string& key, const std::string& value) {
  check_key(key);
  const Lock lock = state_->hold();
  state_->set(key, value);
}

std::string HashStore::get(const std::string& key) {
  check_key(key);
  Lock lock = state_->hold();
  if (const std::string* value = state_->table.find(key)) return *value;
  await_all(lock, "get", {key}, limit(), false);
  return *state_->table.find(key);
}

int64_t HashStore::add(const std::string& key, int64_t amount) {
  check_key(key);
  const Lock lock = state_->hold();
  const std::string sum = state_->table.added(key, amount);
  state_->set(key, sum);
  return to_number(sum);
}

std::string HashStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  check_key(key);
  const Lock lock = state_->hold();
  if (state_->table.compares(key, expected)) state_->set(key, desired);
  return state_->table.after_compare(key, expected);
}

bool HashStore::delete_key(const std::string& key) {
  check_key(key);
  const Lock lock = state_->hold();
  return state_->table.erase(key);
}

bool HashStore::check(const Keys& keys) {
  check_keys(keys);
  const Lock lock = state_->hold();
  return state_->table.first_missing(keys) == keys.size();
}

int64_t HashStore::num_keys() {
  const Lock lock = state_->hold();
  return static_cast<int64_t>(state_->table.num_keys());
}

void HashStore::wait(const Keys& keys, Milliseconds timeout) {
  check_keys(keys);
  Lock lock = state_->hold();
  await_all(lock, "wait", keys, limit(timeout), true);
}

void HashStore::append(const std::string& key, const std::string& value) {
  check_key(key);
  const Lock lock = state_->hold();
  state_->set(key, state_->table.appended(key, value));
}

Store::Values HashStore::multi_get(const Keys& keys) {
  check_keys(keys);
  Lock lock = state_->hold();
  await_all(lock, "multi_get", keys, limit(), false);
  Values values;
  values.reserve(keys.size());
  for (const std::string& key : keys) values.push_back(*state_->table.find(key));
  return values;
}

void HashStore::multi_set(const Keys& keys, const Values& values) {
  check_pairs(keys.size(), values.size());
  check_keys(keys);
  for (size_t i = 0; i < keys.size(); ++i) check_value(keys[i], values[i]);
  const Lock lock = state_->hold();
  for (size_t i = 0; i < keys.size(); ++i) state_->set(keys[i], values[i]);
}

Store::Keys HashStore::list_keys() {
  const Lock lock = state_->hold();
  return state_->table.list_keys();
}

void HashStore::queue_push(const std::string& key, const std::string& value) {
  check_key(key);
  const Lock lock = state_->hold();
  state_->table.push(key, value);
  state_->wake(key);
}

std::string HashStore::queue_pop(const std::string& key, bool block) {
  check_key(key);
  Lock lock = state_->hold();
  const TimeLimit limit = this->limit();
  while (true) {
    if (auto value = state_->table.pop(key)) return std::move(*value);
    if (!block) throw_empty_queue(key);
    if (limit.deadline.passed() || !this->block(lock, key, limit.deadline)) {
      if (auto value = state_->table.pop(key)) return std::move(*value);
      throw_timeout("queue_pop", limit.timeout, {key}, 1);
    }
  }
}

int64_t HashStore::queue_len(const std::string& key) {
  check_key(key);
  const Lock lock = state_->hold();
  return static_cast<int64_t>(state_->table.queue_len(key));
}

}  // namespace opweave::distributed
