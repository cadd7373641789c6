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
  wait({key}, timeout());
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

void WatchfulStore::wait(const Keys& keys, Milliseconds timeout) {
  const Deadline deadline = Deadline::after(timeout);
  for (;;) {
    look_();
    const Milliseconds slice = std::min(deadline.remaining(), kBetweenLooks);
    const Deadline end = Deadline::after(slice);
    try {
      return PrefixStore::wait(keys, slice.count() > 0 ? slice : Milliseconds(-1));
    } catch (const DistError&) {  // in time: one of several servers may be gone
      if (deadline.passed() || !end.passed()) throw;
    }
  }
}

}  // namespace opweave::distributed
