// Who waits for which key: each waiter for one at a time, woken when something happens to that key.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace opweave::distributed {

template <class Waiter>
class Waiters {
 public:
  void add(const std::string& key, Waiter* waiter) { waiting_[key].push_back(waiter); }

  void remove(const std::string& key, Waiter* waiter) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return;
    std::erase(found->second, waiter);
    if (found->second.empty()) waiting_.erase(found);
  }

  // Who waits for a key, in the order in which they came: a copy, as those that are woken go.
  std::vector<Waiter*> of(const std::string& key) const {
    if (waiting_.empty()) return {};
    const auto found = waiting_.find(key);
    return found == waiting_.end() ? std::vector<Waiter*>() : found->second;
  }

 private:
  std::unordered_map<std::string, std::vector<Waiter*>> waiting_;
};

}  // namespace opweave::distributed
