// Lists of user functions that run at a point of the backward pass, and handles to remove them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/autograd/spin_lock.h"
#include "runtime/autograd/tensor_vec.h"

namespace opweave {

class HookListBase {
 public:
  virtual ~HookListBase() = default;
  virtual void remove(uint64_t id) = 0;
};

// Functions in the order they were added. A running function may add or remove functions, its own
// among them; other threads may do so, too. What is added while they run, runs the next time.
template <class Signature>
class HookList final : public HookListBase {
 public:
  using Function = std::function<Signature>;
  struct Entry {
    uint64_t id = 0;
    std::shared_ptr<const Function> function;
  };

  uint64_t add(Function function) {
    auto shared = std::make_shared<const Function>(std::move(function));
    std::lock_guard lock(lock_);
    entries_.push_back({++last_id_, std::move(shared)});
    return last_id_;
  }

  void remove(uint64_t id) override {
    std::shared_ptr<const Function> dropped;  // destroyed outside the lock
    std::lock_guard lock(lock_);
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].id != id) continue;
      dropped = std::move(entries_[i].function);
      entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
  }

  bool empty() const {
    std::lock_guard lock(lock_);
    return entries_.empty();
  }

  // Calls visit(function) for each, in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const uint64_t last = last_id();
    for (Entry entry = next(0, last); entry.function; entry = next(entry.id, last)) {
      visit(*entry.function);
    }
  }

 private:
  uint64_t last_id() const {
    std::lock_guard lock(lock_);
    return last_id_;
  }
  Entry next(uint64_t after, uint64_t last) const {
    std::lock_guard lock(lock_);
    for (const Entry& entry : entries_) {
      if (entry.id > after && entry.id <= last) return entry;
    }
    return {};
  }

  mutable SpinLock lock_;
  uint64_t last_id_ = 0;
  std::vector<Entry> entries_;
};

// Sees the gradient of a tensor; a defined result replaces it.
using TensorHooks = HookList<Tensor(const Tensor& gradient)>;
// Runs on a leaf whose `grad` has been updated.
using AccumulateHooks = HookList<void(const Tensor& leaf)>;
// Sees, and may change, the gradients that go into a node.
using NodePreHooks = HookList<void(TensorVec& grad_outputs)>;
// Sees the gradients that went into a node, and sees or changes those that come out of it.
using NodePostHooks = HookList<void(TensorVec& grad_inputs, const TensorVec& grad_outputs)>;

// Removes a hook. Does not keep alive what the hook is registered on.
class HookHandle {
 public:
  HookHandle() = default;
  template <class Signature>
  HookHandle(const std::shared_ptr<HookList<Signature>>& list, uint64_t id)
      : list_(list), id_(id) {}

  void remove() {
    if (auto list = list_.lock()) list->remove(id_);
    list_.reset();
  }
  uint64_t id() const { return id_; }

 private:
  std::weak_ptr<HookListBase> list_;
  uint64_t id_ = 0;
};

}  // namespace opweave
