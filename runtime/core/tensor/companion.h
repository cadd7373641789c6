// Companions: what a functionality above autograd keeps beside a tensor and every other that holds
// the same value, so that autograd can take it along without knowing what it is.
#pragma once

#include <memory>
#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

class Companion {
 public:
  virtual ~Companion() = default;
  // `tensor` has come to carry this: its dispatch keys have to say what it holds now.
  virtual void refresh(const Tensor& tensor) const = 0;
  // `copy` is a clone of a tensor that carries this; `clone` makes one of any other.
  using Clone = Tensor (*)(const Tensor& tensor, std::optional<MemoryFormat> format);
  virtual void copy_to(const Tensor& copy, Clone clone) const = 0;
};

// Of the functionality that has companions: makes an empty one. While a thread's state says
// `companions`, tensors that backward nodes save get one, even if they carry nothing yet.
using MakeCompanion = std::shared_ptr<Companion> (*)();
void set_companion_maker(MakeCompanion make);

// That of `t`, made if there is none.
const std::shared_ptr<Companion>& companion_of(const Tensor& t);
void set_companion(const Tensor& t, std::shared_ptr<Companion> companion);
// Makes `copy`, which holds the same value, carry what `t` carries, now and later.
inline void share_companion(const Tensor& t, const Tensor& copy) {
  set_companion(copy, companion_of(t));
}

// A copy of a tensor that is about to be written, with all that it carries. `clone` is the
// operator.
inline Tensor clone_with_companion(const Tensor& t, Companion::Clone clone) {
  Tensor copy = clone(t, std::nullopt);
  if (t.impl()->companion() != nullptr) [[unlikely]]
    t.impl()->companion()->copy_to(copy, clone);
  return copy;
}

}  // namespace opweave
