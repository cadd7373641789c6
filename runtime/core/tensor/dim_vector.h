// DimVector: a small vector of int64, in the object itself up to eight elements, for sizes and
// dims.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "runtime/core/tensor/sizes_and_strides.h"

namespace opweave {

class DimVector {
 public:
  static constexpr size_t kInline = 8;

  DimVector() = default;
  explicit DimVector(size_t n, int64_t value = 0) { resize(n, value); }
  DimVector(std::initializer_list<int64_t> values) { assign(values); }
  DimVector(IntList values) { assign(values); }  // NOLINT: a copy of it
  template <class It>
  requires(!std::is_integral_v<It>) DimVector(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  DimVector(const DimVector& o) { assign(o); }
  DimVector(DimVector&& o) noexcept { *this = std::move(o); }
  DimVector& operator=(const DimVector& o) {
    if (this != &o) assign(o);
    return *this;
  }
  DimVector& operator=(DimVector&& o) noexcept {
    heap_ = std::move(o.heap_);
    size_ = std::exchange(o.size_, 0);
    if (heap_ == nullptr) copy_few(o.inline_, size_, inline_);
    capacity_ = std::exchange(o.capacity_, kInline);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }
  operator IntList() const { return {data(), size_}; }  // NOLINT: a view of it

  // The values may not be this vector's own.
  void assign(IntList values) {
    if (values.size() > capacity_) grow(values.size());
    copy_few(values.data(), values.size(), data());
    size_ = values.size();
  }
  void push_back(int64_t value) {
    if (size_ == capacity_) grow(2 * capacity_);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t n, int64_t value = 0) {
    if (n > capacity_) grow(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    size_ = n;
  }
  void insert(size_t position, int64_t value) {
    push_back(value);
    std::rotate(begin() + position, end() - 1, end());
  }
  void erase(size_t position) {
    std::copy(begin() + position + 1, end(), begin() + position);
    --size_;
  }
  friend bool operator==(const DimVector& a, const DimVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void grow(size_t capacity) {
    auto bigger = std::make_unique<int64_t[]>(capacity);
    std::copy(begin(), end(), bigger.get());
    heap_ = std::move(bigger);
    capacity_ = capacity;
  }

  size_t size_ = 0;
  size_t capacity_ = kInline;
  int64_t inline_[kInline];
  std::unique_ptr<int64_t[]> heap_;
};

// A loop of its own: std::equal becomes a call of memcmp, which costs more than comparing the few
// elements that shapes have.
inline bool same_sizes(IntList a, IntList b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace opweave
