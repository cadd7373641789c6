// Tensor: a counted pointer to a TensorImpl. It carries no operators: those are free functions, one
// generated header per operator, so that a new operator recompiles only what uses it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor_impl.h"

namespace opweave {

class Tensor;
using TensorList = ListRef<Tensor>;

class Tensor {
 public:
  Tensor() = default;  // undefined
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }
  intrusive_ptr<TensorImpl> take_impl() && { return std::move(impl_); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  void reset() { impl_.reset(); }

  // The empty set for an undefined tensor.
  DispatchKeySet key_set() const { return impl_ ? impl_->key_set() : DispatchKeySet(); }

  IntList sizes() const { return impl_->sizes(); }
  IntList strides() const { return impl_->strides(); }
  // Accepts negative dimensions; IndexError outside [-dim, dim).
  int64_t size(int64_t d) const { return sizes()[wrap(d)]; }
  int64_t stride(int64_t d) const { return strides()[wrap(d)]; }
  int64_t dim() const { return impl_->dim(); }
  int64_t numel() const { return impl_->numel(); }
  int64_t storage_offset() const { return impl_->storage_offset(); }
  ScalarType scalar_type() const { return impl_->dtype(); }
  ScalarType dtype() const { return impl_->dtype(); }
  Device device() const { return impl_->device(); }
  Layout layout() const { return impl_->layout(); }
  size_t element_size() const { return opweave::element_size(dtype()); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  bool is_contiguous(MemoryFormat f) const { return impl_->is_contiguous(f); }
  bool is_floating_point() const { return is_floating(dtype()); }
  bool is_differentiable() const { return opweave::is_differentiable(dtype()); }
  // Whether the program itself may read and write its data.
  bool in_host_memory() const { return is_host(device()); }
  bool is_meta() const { return device().is_meta(); }
  bool is_inference() const { return impl_->is_inference(); }
  const Storage& storage() const { return impl_->storage(); }

  void* raw_data() const { return impl_->data(); }
  // Checked against the dtype, except for the raw_data() of storage bytes.
  template <class T>
  T* data() const {
    OW_CHECK(dtype() == scalar_type_of<T>, "expected scalar type ",
             scalar_type_name(scalar_type_of<T>), " but found ", scalar_type_name(dtype()));
    return static_cast<T*>(raw_data());
  }

  bool requires_grad() const { return impl_->requires_grad(); }
  bool is_leaf() const { return impl_->is_leaf(); }
  bool is_view() const { return impl_->view_base() != nullptr; }
  uint32_t version() const { return impl_->version().current(); }

  friend void append_to(std::string& out, const Tensor& t) {
    if (!t.defined()) {
      out += "undefined tensor";
    } else {
      out += str("tensor of shape ", t.sizes(), " and dtype ", t.dtype());
    }
  }

 private:
  size_t wrap(int64_t d) const;

  intrusive_ptr<TensorImpl> impl_;
};

// [-ndim, ndim) -> [0, ndim); IndexError otherwise. A zero-dim tensor counts as having one
// dimension when `scalar_as_1d`.
int64_t wrap_dim(int64_t dim, int64_t ndim, bool scalar_as_1d = true);
// Wraps each, and throws when one appears twice. `op` opens the message.
DimVector wrap_dims(std::string_view op, IntList dims, int64_t ndim);

DimVector contiguous_strides(IntList sizes);
// Strides of a new dense tensor of `sizes` in a memory format.
DimVector strides_for(IntList sizes, MemoryFormat format);

// A new tensor with undefined contents, from the allocator of its device. Contiguous, or with the
// given strides (of a dense layout).
Tensor make_tensor(IntList sizes, ScalarType dtype, Device device);
Tensor make_tensor_strided(IntList sizes, IntList strides, ScalarType dtype, Device device);
// A tensor over the same storage, without autograd history and without view tracking: what view
// kernels return; the generated code links it to its base.
Tensor make_alias(const Tensor& self, IntList sizes, IntList strides, int64_t storage_offset);
// A zero-dim CPU tensor of the number's own dtype (bool, int64 or float64), marked
// as a wrapped number so that it promotes like a Python number.
Tensor wrapped_number_tensor(const Scalar& value);

// For out= and resize_: contiguous `sizes`, the storage grown when needed. No-op when they match.
void resize_tensor(Tensor& self, IntList sizes);

// float32 unless set_default_dtype says otherwise.
ScalarType default_dtype();
void set_default_dtype(ScalarType dtype);

}  // namespace opweave
