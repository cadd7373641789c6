// What handwritten kernels know of tensors: the part of Opweave's Tensor that a buffer of XLA has,
// dense and in the order of its dimensions; numbers; and loops on several threads.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visit_dtype.h"

namespace opweave {

inline constexpr int kMaxDims = 32;

class Tensor {
 public:
  Tensor() = default;  // undefined: an argument that is None
  Tensor(void* data, std::span<const int64_t> sizes, ScalarType dtype)
      : data_(data), dtype_(dtype), rank_(static_cast<int64_t>(sizes.size())) {
    OW_CHECK(sizes.size() <= kMaxDims, "tensors have up to ", kMaxDims, " dimensions, got ",
             sizes.size());
    for (int64_t d = rank_ - 1; d >= 0; --d) {
      sizes_[d] = sizes[d];
      strides_[d] = numel_;
      numel_ *= sizes[d];
    }
  }

  bool defined() const { return rank_ >= 0; }
  int64_t dim() const { return rank_; }
  int64_t numel() const { return numel_; }
  std::span<const int64_t> sizes() const { return {sizes_.data(), static_cast<size_t>(rank_)}; }
  std::span<const int64_t> strides() const { return {strides_.data(), static_cast<size_t>(rank_)}; }
  int64_t size(int64_t d) const { return sizes_[wrap(d)]; }
  int64_t stride(int64_t d) const { return strides_[wrap(d)]; }
  bool is_contiguous() const { return true; }
  ScalarType dtype() const { return dtype_; }
  ScalarType scalar_type() const { return dtype_; }
  size_t element_size() const { return opweave::element_size(dtype_); }
  size_t nbytes() const { return static_cast<size_t>(numel_) * element_size(); }
  bool is_floating_point() const { return (dtype_bit(dtype_) & dtypes::kCommonFloating) != 0; }

  void* raw_data() const { return data_; }
  // Checked against the dtype: a kernel that takes another one writes beyond the elements.
  template <class T>
  T* data() const {
    OW_CHECK(defined() && dtype_ == scalar_type_of<T>, "expected scalar type ",
             scalar_type_name(scalar_type_of<T>), " but found ",
             defined() ? scalar_type_name(dtype_) : "Undefined");
    return static_cast<T*>(data_);
  }

 private:
  int64_t wrap(int64_t d) const {
    OW_CHECK(d >= -rank_ && d < rank_, "dimension ", d, " of a tensor of ", rank_);
    return d < 0 ? d + rank_ : d;
  }

  void* data_ = nullptr;
  ScalarType dtype_ = kFloat;
  int64_t rank_ = -1, numel_ = 1;
  std::array<int64_t, kMaxDims> sizes_, strides_;
};

inline Tensor contiguous(const Tensor& tensor) { return tensor; }

// Elements that somebody else holds.
template <class T>
class ListRef : public std::span<const T> {
 public:
  using std::span<const T>::span;
  ListRef(const std::vector<T>& items)
      : std::span<const T>(items.data(), items.size()) {}  // NOLINT
};
using TensorList = ListRef<Tensor>;
using IntList = ListRef<int64_t>;
using DoubleList = ListRef<double>;

// A number of Python, with its type.
class Scalar {
 public:
  Scalar() = default;
  Scalar(bool value) : kind_(kBool), whole_(value) {}     // NOLINT: implicit, like a number
  Scalar(int64_t value) : kind_(kLong), whole_(value) {}  // NOLINT
  Scalar(double value) : kind_(kDouble), real_(value) {}  // NOLINT

  ScalarType type() const { return kind_; }
  bool is_floating() const { return kind_ == kDouble; }
  bool is_bool() const { return kind_ == kBool; }
  double to_double() const { return is_floating() ? real_ : static_cast<double>(whole_); }
  int64_t to_long() const { return is_floating() ? static_cast<int64_t>(real_) : whole_; }
  bool to_bool() const { return is_floating() ? real_ != 0 : whole_ != 0; }
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>)
      return to_bool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(to_long());
    else
      return static_cast<T>(to_double());
  }

 private:
  ScalarType kind_ = kLong;
  int64_t whole_ = 0;
  double real_ = 0;
};

inline constexpr int64_t kGrainSize = 32768;

// Runs pieces of [begin, end) of at least `grain` on the threads that XLA has for the call.
void run_parallel(int64_t begin, int64_t end, int64_t grain,
                  const std::function<void(int64_t, int64_t)>& body);
template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, Body&& body) {
  if (end - begin <= grain) {
    if (begin < end) body(begin, end);
  } else {
    run_parallel(begin, end, grain, body);
  }
}

}  // namespace opweave
