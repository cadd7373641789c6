// The parts of the C++ front end that need the complete ow::Tensor. Included by "opweave/ow.h".
#pragma once

#include "runtime/autograd/api.h"

namespace ow {

inline Tensor TensorBase::grad() const { return opweave::grad_of(*this); }

inline void TensorBase::set_grad(const opweave::Tensor& grad) const {
  opweave::set_grad(*this, grad);
}

inline const Tensor& TensorBase::requires_grad_(bool value) const {
  opweave::set_requires_grad(*this, value);
  return static_cast<const ow::Tensor&>(*this);
}

inline void TensorBase::backward(const opweave::Tensor& gradient, std::optional<bool> retain_graph,
                                 bool create_graph) const {
  opweave::backward({*this}, {gradient}, retain_graph, create_graph);
}

inline TensorArgs::TensorArgs(const std::vector<Tensor>& tensors)
    : tensors_(tensors.begin(), tensors.end()) {}

inline std::vector<Tensor> to_front(std::vector<opweave::Tensor> tensors) {
  return {std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())};
}

inline Tensor operator-(const Tensor& a) { return neg(a); }
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }

// Numbers take part as zero-dim tensors that do not decide the result's dtype.
inline Tensor number(const Scalar& value) { return opweave::wrapped_number_tensor(value); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, number(b)); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(number(a), b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, number(b)); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return sub(number(a), b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, number(b)); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(number(a), b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, number(b)); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return div(number(a), b); }

}  // namespace ow
