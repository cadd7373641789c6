// Looking for several keys in a store, again and again until all have been there.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/store/etcd/client.h"

namespace opweave::distributed::etcd {

// Where a key's value is, and its queue.
struct Places {
  std::string value;
  Span queue;
};

class Search {
 public:
  // Queues with values are found as well where they count; otherwise values are kept.
  Search(Client& client, std::vector<Places> places, bool queues_count);

  // Goes on with the first key that was not there, up to the next such one, or to the end. Returns
  // whether there is none.
  bool look(const Call& call, bool to_the_end = false);
  // Of the last look.
  const std::vector<size_t>& missing() const { return missing_; }
  // Returns when the first missing key may be there.
  void watch(const Call& call, const Deadline& deadline);
  std::vector<std::string> take_values() { return std::move(values_); }

 private:
  Answer read(const Call& call, size_t first);
  bool take(const Found* found, size_t number);

  Client& client_;
  std::vector<Places> places_;
  bool queues_count_;
  std::vector<std::string> values_;
  size_t next_ = 0;
  // How many keys one request names; fewer where the answers become too large.
  size_t at_once_;
  int64_t revision_ = 0;
  std::vector<size_t> missing_;
};

}  // namespace opweave::distributed::etcd
