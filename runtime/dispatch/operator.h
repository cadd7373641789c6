// OperatorEntry: the dispatch table of one operator overload, and how it is called.
//
// A call costs one thread-local read, two mask operations, one bit scan, one load and an indirect
// call:
//   keys   = (keys of the tensor arguments | included) - excluded, limited to those with a kernel
//   kernel = kernels[highest of keys]
// Backend keys always stay in the limit, so that a missing backend kernel is reported and never
// skipped; a functionality without a kernel for this operator falls through.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/ivalue.h"
#include "runtime/dispatch/operator_record.h"

namespace opweave {

class OperatorEntry;

// Any kernel's address. Cast back to the operator's signature, and to no other, before the call.
using AnyKernel = void (*)();

// Runs with the arguments on the stack and leaves the results there. `keys` is what the call was
// dispatched on; the kernel excludes keys (ExcludeDispatchKeys) before it calls the operator again.
using BoxedKernel = std::function<void(const OperatorEntry& op, DispatchKeySet keys, Stack& stack)>;

// What the generator knows about an operator; constant.
struct OperatorDef {
  std::string_view name;      // "add"
  std::string_view overload;  // "Tensor"
  std::string_view schema;  // "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
  // Calls a typed kernel with the arguments on the stack.
  void (*call_boxed)(AnyKernel kernel, Stack& stack);
  // A kernel of this operator's signature that packs its arguments and calls the boxed kernel that
  // is registered for the key the call resolves to (run_boxed).
  AnyKernel boxed_trampoline;
  // The operator itself, of its own signature: dispatches.
  AnyKernel call;
  OperatorRecord record = {};
};

class OperatorEntry {
 public:
  constexpr explicit OperatorEntry(const OperatorDef& def) : def_(&def) {}

  const OperatorDef& def() const { return *def_; }
  const OperatorRecord& record() const { return def_->record; }
  std::string full_name() const;  // "add.Tensor"

  // The kernel for a call with these tensor keys, in the current thread state.
  template <class Signature>
  Signature* lookup(DispatchKeySet tensor_keys) const {
    return kernel_for<Signature>(resolve(tensor_keys));
  }

  // That of the highest of keys that a call was resolved to.
  template <class Signature>
  Signature* kernel_for(DispatchKeySet keys) const {
    if (keys.empty()) [[unlikely]]
      fail_no_keys();
    const AnyKernel kernel =
        kernels_[static_cast<size_t>(keys.highest())].load(std::memory_order_acquire);
    if (kernel == nullptr) [[unlikely]]
      fail_missing(keys);
    return reinterpret_cast<Signature*>(kernel);
  }

  DispatchKeySet resolve(DispatchKeySet tensor_keys) const {
    const ThreadState& state = thread_state();
    return ((tensor_keys | state.included) - state.excluded) &
           DispatchKeySet::from_bits(handled_.load(std::memory_order_relaxed));
  }

  // The operator with its arguments on the stack: dispatches like a typed call.
  void call(Stack& stack) const { call_typed(def_->call, stack); }

  bool has_kernel(DispatchKey key) const {
    return kernels_[static_cast<int>(key)].load(std::memory_order_acquire) != nullptr;
  }

  // --- registration: thread-safe, also against running calls ------------------------------------
  // A kernel of this operator's signature. Replaces what was registered for the key.
  void set_kernel(DispatchKey key, AnyKernel kernel);
  void set_boxed_kernel(DispatchKey key, BoxedKernel kernel, bool from_fallback = false);
  // For every backend, now and later, that has no kernel of its own.
  void set_composite_kernel(AnyKernel kernel);
  // Functionality: the key falls through again. Backend: the composite kernel, or none.
  void remove_kernel(DispatchKey key);

  // What is registered for a key, to be put back after a temporary replacement.
  struct SavedKernel {
    AnyKernel kernel = nullptr;
    std::shared_ptr<const BoxedKernel> boxed;
    bool from_fallback = false;
  };
  SavedKernel save_kernel(DispatchKey key) const;
  void restore_kernel(DispatchKey key, SavedKernel saved);

  // Whether the key's kernel came from register_fallback.
  bool uses_fallback(DispatchKey key) const;

  // Runs the boxed kernel of the highest of keys that a call was resolved to (for
  // boxed_trampoline).
  void run_boxed(DispatchKeySet keys, Stack& stack) const;
  // Lets observers of threads see calls from now on, and those of all threads, or no longer
  // (observer.h).
  void set_observed(bool by_all);
  // Calls with tensors of complex numbers fail from now on.
  void refuse_complex();
  // Calls whatever is registered for `key`, typed or boxed, with the arguments on the stack.
  void call_kernel(DispatchKey key, Stack& stack) const { call_resolved(key, stack); }
  // The same for the highest of keys that a call was resolved to; a boxed kernel is told all.
  void call_resolved(DispatchKeySet keys, Stack& stack) const;

 private:
  struct Boxed {
    std::shared_ptr<const BoxedKernel> kernel;
    bool from_fallback = false;
  };
  using BoxedTable = std::array<Boxed, kNumDispatchKeys>;

  // A typed kernel, with the arguments on the stack.
  void call_typed(AnyKernel kernel, Stack& stack) const;
  void store(DispatchKey key, AnyKernel kernel);
  std::shared_ptr<const BoxedKernel> boxed(DispatchKey key) const;
  [[noreturn]] void fail_complex() const;
  [[noreturn]] void fail_no_keys() const;
  [[noreturn]] void fail_missing(DispatchKeySet keys) const;

  const OperatorDef* def_;
  std::atomic<uint64_t> handled_{DispatchKeySet::backends().bits()};
  std::array<std::atomic<AnyKernel>, kNumDispatchKeys> kernels_{};
  std::atomic<AnyKernel> composite_{nullptr};
  BoxedTable* boxed_ = nullptr;  // made with the first boxed kernel, guarded by the registry's lock
};

}  // namespace opweave
