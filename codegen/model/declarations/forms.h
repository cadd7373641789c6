// The forms of one computation, which know each other.
#pragma once

#include <cstdint>

namespace opweave::codegen {

struct Operator;

// Which of the shapes of one computation an operator is.
enum class Form : uint8_t {
  functional,  // makes new tensors, or views
  inplace,     // `add_`: writes its first argument and returns it
  out,         // `add.out`: writes the tensors it is given as `out`
  manual,  // mutates in a way of its own, as its schema says (`copy_` without a functional form)
};

struct Forms {
  Form form = Form::functional;
  // Null where one does not exist. For a functional operator `functional` is itself; for a manual
  // one it is null.
  const Operator* functional = nullptr;
  const Operator* inplace = nullptr;
  const Operator* out = nullptr;
  // Of one with kernels of its own: the overload whose expression says what its elements are, as
  // pow.Tensor_Tensor says it of pow.Tensor_Scalar. Null if there is none.
  const Operator* elements_of = nullptr;
};

}  // namespace opweave::codegen
