// Registration in an operator's dispatch table, and boxed calls.
#include "runtime/dispatch/operator.h"

#include "runtime/core/base/error.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/observer.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

bool is_backend(DispatchKey key) { return static_cast<int>(key) < kMaxDeviceTypes; }

}  // namespace

std::string OperatorEntry::full_name() const {
  return def_->overload.empty() ? std::string(def_->name) : str(def_->name, ".", def_->overload);
}

void OperatorEntry::store(DispatchKey key, AnyKernel kernel) {
  if (observer_keys().has(key)) return;  // set_observed()
  kernels_[static_cast<int>(key)].store(kernel, std::memory_order_release);
  if (is_backend(key)) return;
  const uint64_t bit = DispatchKeySet(key).bits();
  if (kernel != nullptr) {
    handled_.fetch_or(bit, std::memory_order_release);
  } else {
    handled_.fetch_and(~bit, std::memory_order_release);
  }
}

void OperatorEntry::set_kernel(DispatchKey key, AnyKernel kernel) {
  std::lock_guard lock(registry_mutex());
  if (boxed_ != nullptr) (*boxed_)[static_cast<int>(key)] = {};
  store(key, kernel);
}

void OperatorEntry::set_boxed_kernel(DispatchKey key, BoxedKernel kernel, bool from_fallback) {
  std::lock_guard lock(registry_mutex());
  if (boxed_ == nullptr) boxed_ = new BoxedTable;
  (*boxed_)[static_cast<int>(key)] = {std::make_shared<const BoxedKernel>(std::move(kernel)),
                                      from_fallback};
  store(key, def_->boxed_trampoline);
}

void OperatorEntry::set_composite_kernel(AnyKernel kernel) {
  std::lock_guard lock(registry_mutex());
  const AnyKernel previous = composite_.exchange(kernel);
  for (int i = 0; i < kMaxDeviceTypes; ++i) {
    const AnyKernel current = kernels_[i].load(std::memory_order_relaxed);
    if (current == nullptr || current == previous) {
      kernels_[i].store(kernel, std::memory_order_release);
    }
  }
}

void OperatorEntry::remove_kernel(DispatchKey key) {
  std::lock_guard lock(registry_mutex());
  if (boxed_ != nullptr) (*boxed_)[static_cast<int>(key)] = {};
  store(key, is_backend(key) ? composite_.load() : nullptr);
  const BoxedKernel* fallback = registered_fallback(key);
  if (fallback != nullptr && !has_kernel(key)) set_boxed_kernel(key, *fallback, true);
}

OperatorEntry::SavedKernel OperatorEntry::save_kernel(DispatchKey key) const {
  std::lock_guard lock(registry_mutex());
  SavedKernel saved{kernels_[static_cast<int>(key)].load(), nullptr, false};
  if (boxed_ != nullptr) {
    const Boxed& boxed = (*boxed_)[static_cast<int>(key)];
    saved.boxed = boxed.kernel;
    saved.from_fallback = boxed.from_fallback;
  }
  return saved;
}

void OperatorEntry::restore_kernel(DispatchKey key, SavedKernel saved) {
  std::lock_guard lock(registry_mutex());
  if (boxed_ != nullptr) {
    (*boxed_)[static_cast<int>(key)] = {std::move(saved.boxed), saved.from_fallback};
  }
  store(key, saved.kernel);
}

bool OperatorEntry::uses_fallback(DispatchKey key) const {
  std::lock_guard lock(registry_mutex());
  return boxed_ != nullptr && (*boxed_)[static_cast<int>(key)].from_fallback;
}

std::shared_ptr<const BoxedKernel> OperatorEntry::boxed(DispatchKey key) const {
  std::lock_guard lock(registry_mutex());
  return boxed_ == nullptr ? nullptr : (*boxed_)[static_cast<int>(key)].kernel;
}

void OperatorEntry::set_observed(bool by_all) {
  for (const DispatchKey key : {DispatchKey::kGlobalObserver, DispatchKey::kThreadObserver}) {
    kernels_[static_cast<size_t>(key)].store(def_->boxed_trampoline, std::memory_order_release);
  }
  const uint64_t always = DispatchKeySet(DispatchKey::kThreadObserver).bits();
  const uint64_t all = DispatchKeySet(DispatchKey::kGlobalObserver).bits();
  handled_.fetch_or(by_all ? always | all : always, std::memory_order_release);
  if (!by_all) handled_.fetch_and(~all, std::memory_order_release);
}

void OperatorEntry::refuse_complex() {
  std::lock_guard lock(registry_mutex());
  store(DispatchKey::kComplex, def_->boxed_trampoline);
}

void OperatorEntry::run_boxed(DispatchKeySet keys, Stack& stack) const {
  if (keys.empty()) fail_no_keys();
  if (observer_keys().has(keys.highest())) return run_observed(*this, keys, stack);
  const auto kernel = boxed(keys.highest());
  if (kernel == nullptr && keys.highest() == DispatchKey::kComplex) fail_complex();
  if (kernel == nullptr) fail_missing(keys);  // removed while this call was on its way
  (*kernel)(*this, keys, stack);
}

void OperatorEntry::call_resolved(DispatchKeySet keys, Stack& stack) const {
  if (keys.empty()) fail_no_keys();
  const DispatchKey key = keys.highest();
  if (const auto kernel = boxed(key)) {
    (*kernel)(*this, keys, stack);
    return;
  }
  const AnyKernel kernel = kernels_[static_cast<size_t>(key)].load(std::memory_order_acquire);
  if (kernel == nullptr) fail_missing(keys);
  call_typed(kernel, stack);
}

void OperatorEntry::call_typed(AnyKernel kernel, Stack& stack) const {
  const size_t given = stack.size();
  try {
    def_->call_boxed(kernel, stack);
  } catch (const Error& error) {
    // A call that fails while it reads its arguments leaves them where they are.
    const bool unread = error.kind() == ErrorKind::kType || error.kind() == ErrorKind::kInternal;
    if (unread && stack.size() == given) {
      check_arguments(*this, stack);
    }
    throw;
  }
}

}  // namespace opweave
