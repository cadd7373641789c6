// Tensors whose elements a program has not set.
#pragma once

#include "kernels/composite/writing.h"
#include "runtime/settings/uninitialized.h"

namespace opweave::composite {

inline Tensor unset(Tensor t) {
  if (fills_uninitialized()) [[unlikely]]
    return filled(std::move(t), uninitialized_pattern(t.dtype()));
  return t;
}

// The elements of a tensor's storage from a number of bytes on.
inline void unset_from(const Tensor& t, size_t bytes) {
  const size_t item = t.element_size();
  const int64_t begin = static_cast<int64_t>((bytes + item - 1) / item);
  const int64_t count = static_cast<int64_t>(t.storage()->nbytes() / item) - begin;
  if (count <= 0) return;
  Tensor rest(make_intrusive<TensorImpl>(t.storage(), t.dtype(), t.device(), IntList{count}));
  rest.impl()->set_geometry(IntList{count}, IntList{1}, begin);
  filled(std::move(rest), uninitialized_pattern(t.dtype()));
}

}  // namespace opweave::composite
