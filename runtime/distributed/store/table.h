// What a store holds, and what each operation does to it: the one place that says so for all
// stores. It is not safe from several threads, and nothing here waits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opweave::distributed {

class Table {
 public:
  // nullptr where the key has no value.
  const std::string* find(std::string_view key) const;
  // Whether it has a value, or a queue with values.
  bool has(std::string_view key) const;
  // The first of the keys from `from` on that is not there, or their number.
  size_t first_missing(const std::vector<std::string>& keys, size_t from = 0) const;

  void set(std::string_view key, std::string_view value);
  bool erase(std::string_view key);
  size_t num_keys() const { return values_.size(); }
  // Those that users set.
  std::vector<std::string> list_keys() const;

  // What the value becomes; set() makes it so.
  //
  // A number as text. A key without a value, or with an empty one, counts from zero; what is not a
  // number is an error.
  std::string added(std::string_view key, int64_t amount) const;
  std::string appended(std::string_view key, std::string_view value) const;
  // Nothing where the value is not the expected one. An empty text is expected of a key without a
  // value.
  bool compares(std::string_view key, std::string_view expected) const;
  // What compare_set returns: the value, or what was expected of a key without one.
  std::string after_compare(std::string_view key, std::string_view expected) const;

  void push(std::string_view key, std::string value);
  std::optional<std::string> pop(std::string_view key);
  // What pop() would return; nullptr where there is nothing.
  const std::string* front(std::string_view key) const;
  size_t queue_len(std::string_view key) const;

  // Whether there is room for a value of this key; an error says that there is none.
  void check_room(std::string_view key) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class Value>
  using Map = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  Map<std::string> values_;
  Map<std::deque<std::string>> queues_;
};

// The number in a counter's value.
int64_t to_number(std::string_view text);

}  // namespace opweave::distributed
