// SmallVector: a movable vector with its first N elements in the object itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace opweave {

// Elements are made by default when the vector grows. Not copyable, so that no tensor or edge is
// retained by accident.
template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  SmallVector() noexcept {}
  explicit SmallVector(size_t n) { resize(n); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      clear();
      free_heap();
      take(other);
    }
    return *this;
  }
  ~SmallVector() {
    std::destroy_n(data(), size_);
    free_heap();
  }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return capacity_ == N ? inline_elements() : heap_; }
  const T* data() const noexcept { return const_cast<SmallVector*>(this)->data(); }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }
  T& operator[](size_t i) noexcept { return data()[i]; }
  const T& operator[](size_t i) const noexcept { return data()[i]; }
  T& back() noexcept { return data()[size_ - 1]; }
  operator std::span<const T>() const noexcept { return {data(), size_}; }  // NOLINT: a view of it

  void reserve(size_t n) {
    if (n > capacity_) grow(n);
  }
  void resize(size_t n) {
    reserve(n);
    if (n > size_) {
      std::uninitialized_value_construct_n(data() + size_, n - size_);
    } else {
      std::destroy_n(data() + n, size_ - n);
    }
    size_ = static_cast<uint32_t>(n);
  }
  void clear() noexcept {
    std::destroy_n(data(), size_);
    size_ = 0;
  }
  T& push_back(T value) { return emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) grow(2 * size_t{capacity_});
    T* element = new (data() + size_) T{std::forward<Args>(args)...};
    ++size_;
    return *element;
  }

 private:
  T* inline_elements() noexcept { return reinterpret_cast<T*>(inline_); }

  void grow(size_t capacity) {
    T* fresh = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data(), size_, fresh);
    std::destroy_n(data(), size_);
    free_heap();
    heap_ = fresh;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void free_heap() noexcept {
    if (capacity_ != N) std::allocator<T>().deallocate(heap_, capacity_);
    capacity_ = N;
  }
  // Into an empty vector without heap memory.
  void take(SmallVector& other) noexcept {
    if (other.capacity_ != N) {
      heap_ = other.heap_;
    } else {
      std::uninitialized_move_n(other.inline_elements(), other.size_, inline_elements());
      std::destroy_n(other.inline_elements(), other.size_);
    }
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, N);
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  union {
    T* heap_;
    alignas(T) std::byte inline_[N * sizeof(T)];
  };
};

}  // namespace opweave
