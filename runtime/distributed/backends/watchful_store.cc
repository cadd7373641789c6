// Waiting in slices.
#include "runtime/distributed/backends/watchful_store.h"

#include <algorithm>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

constexpr Milliseconds kBetweenLooks{200};

}  // namespace

std::shared_ptr<Store> WatchfulStore::clone() {
  return std::make_shared<WatchfulStore>(underlying_store()->clone(), look_);
}

std::string WatchfulStore::get(const std::string& key) {
  wait({key}, limit().timeout);
  return PrefixStore::get(key);
}

bool WatchfulStore::check(const Keys& keys) {
  look_();
  return PrefixStore::check(keys);
}

void WatchfulStore::look(const Store& store) {
  for (const Store* s = &store; s != nullptr;) {
    if (const auto* watchful = dynamic_cast<const WatchfulStore*>(s)) watchful->look_();
    const auto* prefixed = dynamic_cast<const PrefixStore*>(s);
    s = prefixed == nullptr ? nullptr : prefixed->underlying_store().get();
  }
}

void wait_watchfully(Store& store, const Store::Keys& keys, const Deadline& deadline,
                     const std::function<void()>& look) {
  for (;;) {
    look();
    const Milliseconds slice = std::min(deadline.remaining(), kBetweenLooks);
    const Deadline end = Deadline::after(slice);
    try {
      return store.wait(keys, std::max(slice, Milliseconds(1)));
    } catch (const DistError&) {  // in time: one of several servers may be gone
      if (deadline.passed() || !end.passed()) throw;
    }
  }
}

void WatchfulStore::wait(const Keys& keys, Milliseconds timeout) {
  wait_watchfully(*underlying_store(), joined(keys), limit(timeout).deadline, look_);
}

}  // namespace opweave::distributed
