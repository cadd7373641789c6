// RefCounted and intrusive_ptr: one atomic count inside the object, no control block.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace opweave {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  void retain() const noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
  // The same, without a locked instruction, while no other thread knows the object.
  void retain_unshared() const noexcept {
    refs_.store(refs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void release() const noexcept {
    // A sole owner needs no read-modify-write: nobody else can be changing the count.
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const_cast<RefCounted*>(this)->destroy();
    }
  }

  // Takes a reference unless the count has already reached zero. For registries of raw pointers
  // whose entries are removed, under the same lock, by the object's destructor.
  bool try_retain() const noexcept {
    uint32_t n = refs_.load(std::memory_order_relaxed);
    while (n != 0) {
      if (refs_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  uint32_t use_count() const noexcept { return refs_.load(std::memory_order_acquire); }

 protected:
  // The last reference went. The count is one or zero here; a sole owner skips the decrement.
  virtual void destroy() {
    refs_.store(0, std::memory_order_relaxed);
    delete this;
  }
  // For destroy() of an object that others find through a raw pointer and take up by try_retain(),
  // under the lock of that pointer: gives up the reference being released. False: somebody has
  // taken the object up, and it lives on.
  bool give_up_last_reference() noexcept {
    return use_count() == 0 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // For destroy() of an object that is not to die yet: the reference being released stays.
  void keep_last_reference() noexcept {
    uint32_t none = 0;
    refs_.compare_exchange_strong(none, 1, std::memory_order_acq_rel);
  }

 private:
  mutable std::atomic<uint32_t> refs_{0};
};

template <class T>
class intrusive_ptr {
 public:
  using element_type = T;
  constexpr intrusive_ptr() noexcept = default;
  constexpr intrusive_ptr(std::nullptr_t) noexcept {}
  explicit intrusive_ptr(T* object) noexcept : object_(object) {
    if (object_) object_->retain();
  }
  intrusive_ptr(const intrusive_ptr& other) noexcept : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::convertible_to<U*, T*> intrusive_ptr(const intrusive_ptr<U>& other)
  noexcept : intrusive_ptr(other.get()) {}
  template <class U>
  requires std::convertible_to<U*, T*> intrusive_ptr(intrusive_ptr<U>&& other)
  noexcept : object_(other.detach()) {}
  ~intrusive_ptr() {
    if (object_) object_->release();
  }

  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  // A reference to an object that no other thread knows yet.
  static intrusive_ptr unshared(T* object) noexcept {
    object->retain_unshared();
    return adopt(object);
  }
  // Wraps a pointer whose reference the caller already holds.
  static intrusive_ptr adopt(T* object) noexcept {
    intrusive_ptr p;
    p.object_ = object;
    return p;
  }
  // Gives the reference to the caller.
  T* detach() noexcept { return std::exchange(object_, nullptr); }
  void reset() noexcept { *this = intrusive_ptr(); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) noexcept {
    return a.object_ == b.object_;
  }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  return intrusive_ptr<T>::unshared(new T(std::forward<Args>(args)...));
}

}  // namespace opweave
