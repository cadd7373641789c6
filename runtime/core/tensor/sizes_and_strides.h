// SizesAndStrides: both vectors of a tensor's geometry, in the object itself up to five dimensions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

namespace opweave {

// A span that a braced list converts to, so that callers can write `{2, 3}`. Like every span it
// does not own its elements: a parameter type, never a member.
template <class T>
class ListRef : public std::span<const T> {
 public:
  using std::span<const T>::span;
  constexpr ListRef() = default;
  constexpr ListRef(std::span<const T> span) : std::span<const T>(span) {}  // NOLINT
  constexpr ListRef(std::initializer_list<T> list)                          // NOLINT
      : std::span<const T>(list.begin(), list.size()) {}
};

using IntList = ListRef<int64_t>;
using DoubleList = ListRef<double>;

// Copies a few numbers one by one. A wide load of what was just written number by number waits
// until the writes have left the processor's store buffer, some 15 ns; compilers make wide loads of
// any loop that they see through, and of memcpy.
inline void copy_few(const int64_t* from, size_t n, int64_t* to) {
  for (size_t i = 0; i < n; ++i) {
    int64_t value = from[i];
    asm("" : "+r"(value));
    to[i] = value;
  }
}

// How far `count` steps of a stride lead. Nothing limits the stride of a dimension that has no
// second element, or of a tensor that has none at all; what it leads to is never reached, and
// wraps.
inline int64_t stride_product(int64_t stride, int64_t count) {
  return static_cast<int64_t>(static_cast<uint64_t>(stride) * static_cast<uint64_t>(count));
}

class SizesAndStrides {
 public:
  static constexpr size_t kInline = 5;

  SizesAndStrides() = default;
  SizesAndStrides(IntList sizes, IntList strides) { set(sizes, strides); }
  SizesAndStrides(const SizesAndStrides& o) { set(o.sizes(), o.strides()); }
  SizesAndStrides& operator=(const SizesAndStrides& o) {
    if (this != &o) set(o.sizes(), o.strides());
    return *this;
  }
  ~SizesAndStrides() { free_heap(); }

  size_t ndim() const { return ndim_; }
  IntList sizes() const { return {data(), ndim_}; }
  IntList strides() const { return {data() + capacity(), ndim_}; }
  int64_t* sizes_data() { return data(); }
  int64_t* strides_data() { return data() + capacity(); }

  // The arguments may not lie in this object's own storage unless ndim stays the same.
  void set(IntList sizes, IntList strides) {
    resize(sizes.size());
    copy_few(sizes.data(), sizes.size(), sizes_data());
    copy_few(strides.data(), strides.size(), strides_data());
  }
  // Makes room for `ndim` dimensions; their values are undefined.
  void resize(size_t ndim) {
    if (ndim != ndim_) {
      if (ndim > kInline || ndim_ > kInline) {
        free_heap();
        if (ndim > kInline) heap_ = new int64_t[2 * ndim];
      }
      ndim_ = ndim;
    }
  }

 private:
  size_t capacity() const { return ndim_ <= kInline ? kInline : ndim_; }
  const int64_t* data() const { return ndim_ <= kInline ? inline_ : heap_; }
  int64_t* data() { return ndim_ <= kInline ? inline_ : heap_; }
  void free_heap() {
    if (ndim_ > kInline) delete[] heap_;
  }

  size_t ndim_ = 0;
  union {
    int64_t inline_[2 * kInline];
    int64_t* heap_;
  };
};

}  // namespace opweave
