// What each operation does to the keys and queues of a store.
#include "runtime/distributed/store/table.h"

#include <charconv>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

std::optional<int64_t> read_number(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

int64_t to_number(std::string_view text) { return read_number(text).value_or(0); }

const std::string* Table::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

bool Table::has(std::string_view key) const {
  return values_.contains(key) || queues_.contains(key);
}

size_t Table::first_missing(const std::vector<std::string>& keys, size_t from) const {
  while (from < keys.size() && has(keys[from])) ++from;
  return from;
}

void Table::check_room(std::string_view key) const {
  OW_CHECK(values_.size() + queues_.size() < kMaxKeys || has(key), "no room for key ", quoted(key),
           ": the store holds ", kMaxKeys, " keys already, which is the most");
}

void Table::set(std::string_view key, std::string_view value) {
  check_value(key, value);
  if (const auto found = values_.find(key); found != values_.end()) {
    found->second.assign(value);
    return;
  }
  check_room(key);
  values_.emplace(key, value);
}

bool Table::erase(std::string_view key) {
  bool erased = false;
  if (const auto found = values_.find(key); found != values_.end()) {
    values_.erase(found);
    erased = true;
  }
  if (const auto found = queues_.find(key); found != queues_.end()) {
    queues_.erase(found);
    erased = true;
  }
  return erased;
}

std::vector<std::string> Table::list_keys() const {
  std::vector<std::string> keys;
  keys.reserve(values_.size());
  for (const auto& [key, value] : values_) {
    if (!key.starts_with(kReserved)) keys.push_back(key);
  }
  return keys;
}

std::string Table::added(std::string_view key, int64_t amount) const {
  const std::string* value = find(key);
  if (value == nullptr || value->empty()) return std::to_string(amount);
  const std::optional<int64_t> number = read_number(*value);
  OW_CHECK_VALUE(number, "add: the value of key ", quoted(key),
                 " is not a whole number of 64 bits: ", quoted(*value));
  int64_t sum = 0;
  OW_CHECK_VALUE(!__builtin_add_overflow(*number, amount, &sum), "add: ", *number, " + ", amount,
                 " for key ", quoted(key), " is no number of 64 bits");
  return std::to_string(sum);
}

std::string Table::appended(std::string_view key, std::string_view value) const {
  const std::string* before = find(key);
  if (before == nullptr) return std::string(value);
  check_value_bytes(key, before->size() + value.size());
  return *before + std::string(value);
}

bool Table::compares(std::string_view key, std::string_view expected) const {
  const std::string* value = find(key);
  return value == nullptr ? expected.empty() : *value == expected;
}

std::string Table::after_compare(std::string_view key, std::string_view expected) const {
  const std::string* value = find(key);
  return value == nullptr ? std::string(expected) : *value;
}

void Table::push(std::string_view key, std::string value) {
  check_value(key, value);
  auto found = queues_.find(key);
  if (found == queues_.end()) {
    check_room(key);
    found = queues_.emplace(key, std::deque<std::string>()).first;
  }
  OW_CHECK(found->second.size() < kMaxKeys, "no room in queue ", quoted(key), ": it holds ",
           kMaxKeys, " values already, which is the most");
  found->second.push_back(std::move(value));
}

std::optional<std::string> Table::pop(std::string_view key) {
  const auto found = queues_.find(key);
  if (found == queues_.end()) return std::nullopt;
  std::string value = std::move(found->second.front());
  found->second.pop_front();
  // A queue without values is no key: wait() and check() ask for values.
  if (found->second.empty()) queues_.erase(found);
  return value;
}

const std::string* Table::front(std::string_view key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? nullptr : &found->second.front();
}

size_t Table::queue_len(std::string_view key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? 0 : found->second.size();
}

}  // namespace opweave::distributed
