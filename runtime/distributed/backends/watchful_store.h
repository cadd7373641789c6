// WatchfulStore: the store in which the ranks of a group meet, where they know of one another
// already from a group that there is.
#pragma once

#include <functional>

#include "runtime/distributed/store/prefix_store.h"

namespace opweave::distributed {

// Waits for a key until the deadline, and calls `look` before and now and then meanwhile; it throws
// where that is in vain. A store that does not answer for a moment may do so later.
void wait_watchfully(Store& store, const Store::Keys& keys, const Deadline& deadline,
                     const std::function<void()>& look);

class WatchfulStore final : public PrefixStore {
 public:
  // `look` is called before each look at keys, and now and then while they are waited for; it
  // throws where that is in vain.
  WatchfulStore(std::shared_ptr<Store> store, std::function<void()> look)
      : PrefixStore("watched", std::move(store)), look_(std::move(look)) {}

  std::shared_ptr<Store> clone() override;
  std::string get(const std::string& key) override;
  bool check(const Keys& keys) override;
  using Store::wait;
  void wait(const Keys& keys, Milliseconds timeout) override;
  // What `look` throws, if any of the stores below all prefixes is such a one. Asks no store.
  static void look(const Store& store);

 private:
  const std::function<void()> look_;
};

}  // namespace opweave::distributed
