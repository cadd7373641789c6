// Each method is a transaction of etcd, or a few.
#include "runtime/distributed/store/etcd/etcd_store.h"

#include <algorithm>
#include <random>
#include <unordered_map>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/etcd/search.h"
#include "runtime/distributed/store/limits.h"
#include "runtime/distributed/store/table.h"

namespace opweave::distributed {

using namespace etcd;

namespace {

// A member may be about to answer when a wait is over.
constexpr Milliseconds kGrace{900};
// Whatever a store's timeout, a member has this long to answer.
constexpr Milliseconds kShortest{1000};
constexpr size_t kKeysOfWrite = 100;
constexpr size_t kBytesOfWrite = size_t{1} << 20;
constexpr int64_t kKeysOfList = 4096;

// Those who write the same key at once come into one another's way: they spread out.
class Conflicts {
 public:
  void pause(const Deadline& deadline) {
    if (++count_ < 3) return;
    const int longest = 1 << std::min(count_ - 2, 5);
    pause_for(Milliseconds(std::uniform_int_distribution<int>(0, longest)(random())), deadline);
  }

 private:
  static std::minstd_rand& random() {
    thread_local std::minstd_rand engine(std::random_device{}());
    return engine;
  }
  int count_ = 0;
};

}  // namespace

EtcdStore::EtcdStore(EtcdOptions options, Milliseconds timeout)
    : Store(timeout), client_(std::make_shared<Client>(std::move(options))) {
  client_->read(call("connect", nullptr), {find(all_values(), 0, Show::kCount)});
}

EtcdStore::EtcdStore(std::shared_ptr<Client> client, Milliseconds timeout)
    : Store(timeout), client_(std::move(client)) {}

std::shared_ptr<Store> EtcdStore::clone() {
  return std::shared_ptr<Store>(new EtcdStore(client_, timeout()));
}

Call EtcdStore::call(const char* method, const std::string* key) const {
  const TimeLimit limit = this->limit();
  const Deadline shortest = Deadline::after(kShortest);
  const Deadline last = limit.deadline.at() < shortest.at() ? shortest : limit.deadline;
  return {method, key, limit.timeout, limit.deadline, last};
}

Call EtcdStore::waiting_call(const char* method, const std::string* key,
                             const TimeLimit& limit) const {
  return {method, key, limit.timeout, limit.deadline, limit.deadline.later_by(kGrace)};
}

std::string EtcdStore::place_of(std::string_view key) const {
  return str(prefix(), "/v/").append(key);
}

// Its length comes first, so that no key's queue holds another's.
Span EtcdStore::queue_of(std::string_view key) const {
  return beginning_with(str(prefix(), "/q/", key.size(), "/").append(key).append("/"));
}

Span EtcdStore::all_values() const { return beginning_with(prefix() + "/v/"); }

void EtcdStore::update(const char* method, const std::string& key,
                       const std::function<std::optional<std::string>(const Table&)>& change) {
  check_key(key);
  const Call call = this->call(method, &key);
  const std::string place = place_of(key);
  Conflicts conflicts;
  // That there is none is a guess, which the transaction checks.
  Item now;
  bool is_known = false;
  while (true) {
    Table table;
    if (now.version != 0) table.set(key, now.value);
    const std::optional<std::string> next = change(table);
    std::vector<Found> found;
    if (next) {
      check_value(key, *next);
      Client::Written written = client_->write(call, {is_revision(place, now.revision)},
                                               {put(place, *next)}, {look_up(place)});
      if (written.is_done) return;
      found = std::move(written.parts);
      if (is_known) conflicts.pause(call.deadline);
    } else if (is_known) {
      return;
    } else {
      found = client_->read(call, {look_up(place)}).parts;
    }
    now = found.at(0).items.empty() ? Item{} : std::move(found[0].items[0]);
    is_known = true;
  }
}

void EtcdStore::await_all(const char* method, const Keys& keys, const TimeLimit& limit,
                          bool queues_count, Values* values) {
  check_keys(keys);
  const std::string* first = keys.empty() ? nullptr : keys.data();
  const Call call = waiting_call(method, first, limit);
  std::vector<Places> places;
  places.reserve(keys.size());
  for (const std::string& key : keys) places.push_back({place_of(key), queue_of(key)});
  Search search(*client_, std::move(places), queues_count);
  while (!search.look(call)) {
    if (!call.deadline.passed()) {
      search.watch(call, call.deadline);
      continue;
    }
    if (search.look(call, true)) break;
    Keys missing;
    for (const size_t i : search.missing()) missing.push_back(keys[i]);
    throw_timeout(method, limit.timeout, missing, keys.size());
  }
  if (values != nullptr) *values = search.take_values();
}

void EtcdStore::set(const std::string& key, const std::string& value) {
  check_key(key);
  check_value(key, value);
  client_->write(call("set", &key), {}, {put(place_of(key), value)});
}

std::string EtcdStore::get(const std::string& key) {
  Values values;
  await_all("get", {key}, limit(), false, &values);
  return std::move(values.front());
}

int64_t EtcdStore::add(const std::string& key, int64_t amount) {
  std::string sum;
  update("add", key, [&](const Table& table) { return sum = table.added(key, amount); });
  return to_number(sum);
}

std::string EtcdStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  check_value(key, expected);
  check_value(key, desired);
  std::string after;
  update("compare_set", key, [&](const Table& table) -> std::optional<std::string> {
    const bool sets = table.compares(key, expected);
    after = sets ? desired : table.after_compare(key, expected);
    return sets ? std::optional(desired) : std::nullopt;
  });
  return after;
}

bool EtcdStore::delete_key(const std::string& key) {
  check_key(key);
  const Call call = this->call("delete_key", &key);
  const Span place{place_of(key), ""}, queue = queue_of(key);
  while (true) {
    const Answer answer =
        client_->read(call, {look_up(place.begin, Show::kKeys), find(queue, 1, Show::kKeys)});
    const std::vector<Item>& values = answer.parts[0].items;
    const std::vector<Item>& queued = answer.parts[1].items;
    if (values.empty() && queued.empty()) return false;
    // Where another was faster, it is the other's.
    const Item& item = values.empty() ? queued.front() : values.front();
    const Parts conditions{is_revision(item.key, item.revision)};
    if (client_->write(call, conditions, {erase(place), erase(queue)}).is_done) return true;
  }
}

bool EtcdStore::check(const Keys& keys) {
  check_keys(keys);
  std::vector<Places> places;
  for (const std::string& key : keys) places.push_back({place_of(key), queue_of(key)});
  Search search(*client_, std::move(places), true);
  return search.look(call("check", keys.empty() ? nullptr : keys.data()));
}

int64_t EtcdStore::num_keys() {
  const Call call = this->call("num_keys", nullptr);
  return client_->read(call, {find(all_values(), 0, Show::kCount)}).parts[0].count;
}

void EtcdStore::wait(const Keys& keys, Milliseconds timeout) {
  await_all("wait", keys, limit(timeout), true, nullptr);
}

void EtcdStore::append(const std::string& key, const std::string& value) {
  check_value(key, value);
  update("append", key, [&](const Table& table) { return table.appended(key, value); });
}

Store::Values EtcdStore::multi_get(const Keys& keys) {
  Values values;
  await_all("multi_get", keys, limit(), false, &values);
  return values;
}

void EtcdStore::multi_set(const Keys& keys, const Values& values) {
  check_pairs(keys.size(), values.size());
  check_keys(keys);
  // etcd refuses a transaction that writes a key twice: the last value is the one that stays.
  std::unordered_map<std::string_view, size_t> last;
  for (size_t i = 0; i < keys.size(); ++i) {
    check_value(keys[i], values[i]);
    last[keys[i]] = i;
  }
  Parts parts;
  const std::string* first = nullptr;
  size_t bytes = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (last[keys[i]] != i) continue;
    const size_t more = keys[i].size() + values[i].size();
    if (parts.size() == kKeysOfWrite || (!parts.empty() && bytes + more > kBytesOfWrite)) {
      client_->write(call("multi_set", first), {}, parts);
      parts.clear();
      bytes = 0;
    }
    if (parts.empty()) first = &keys[i];
    parts.push_back(put(place_of(keys[i]), values[i]));
    bytes += more;
  }
  if (!parts.empty()) client_->write(call("multi_set", first), {}, parts);
}

Store::Keys EtcdStore::list_keys() {
  const Call call = this->call("list_keys", nullptr);
  Span rest = all_values();
  const size_t prefix_bytes = rest.begin.size();
  int64_t limit = kKeysOfList;
  Keys keys;
  while (true) {
    Answer answer;
    try {
      answer = client_->read(call, {find(rest, limit, Show::kKeys)},
                             limit > 1 ? Parting::kCan : Parting::kCannot);
    } catch (const TooLarge&) {
      limit /= 2;
      continue;
    }
    const std::vector<Item>& items = answer.parts[0].items;
    for (const Item& item : items) {
      if (!item.key.starts_with(prefix() + "/v/")) {
        throw DistNetworkError(describe() + ": list_keys: the answer has keys of others");
      }
      keys.push_back(item.key.substr(prefix_bytes));
    }
    if (static_cast<int64_t>(items.size()) < limit) return keys;
    // The next one in order.
    rest.begin = items.back().key + '\0';
  }
}

void EtcdStore::queue_push(const std::string& key, const std::string& value) {
  check_key(key);
  check_value(key, value);
  // Values are in the order of their making, whatever their names.
  client_->write(call("queue_push", &key), {}, {put(queue_of(key).begin + random_name(), value)});
}

std::string EtcdStore::queue_pop(const std::string& key, bool block) {
  check_key(key);
  const TimeLimit limit = this->limit();
  const Call call = waiting_call("queue_pop", &key, limit);
  const Span queue = queue_of(key);
  Conflicts conflicts;
  while (true) {
    const Answer answer = client_->read(call, {find_oldest(queue)});
    const std::vector<Item>& items = answer.parts[0].items;
    if (!items.empty()) {
      const Item& item = items.front();
      const Parts conditions{is_revision(item.key, item.revision)};
      if (client_->write(call, conditions, {erase({item.key, ""})}).is_done) return item.value;
      conflicts.pause(call.deadline);
      continue;
    }
    if (!block) throw_empty_queue(key);
    if (call.deadline.passed()) throw_timeout("queue_pop", limit.timeout, {key}, 1);
    client_->watch(call, {queue}, answer.revision + 1, call.deadline);
  }
}

int64_t EtcdStore::queue_len(const std::string& key) {
  check_key(key);
  return client_->read(call("queue_len", &key), {find(queue_of(key), 0, Show::kCount)})
      .parts[0]
      .count;
}

}  // namespace opweave::distributed
