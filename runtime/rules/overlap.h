// Whether tensors share memory in a way that writing one of them while reading another would break.
#pragma once

#include <string_view>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

// Several elements in one place, as far as strides of zero tell: what PyTorch refuses or warns of.
bool repeats_elements(const Tensor& t);
// Whether elements may share a place in any way, as those of unfold() do: never false where some
// do.
bool may_overlap(const Tensor& t);
// Of a write that PyTorch takes and has deprecated: the program is warned.
void warn_of_repeated_elements(const Tensor& written, std::string_view name, std::string_view also);
// RuntimeError if several elements of a tensor that is to be written lie in one place.
void check_no_internal_overlap(const Tensor& written);
// RuntimeError if `input` lies partly in `written`; being the same memory in the same order is
// fine.
void check_no_partial_overlap(const Tensor& written, const Tensor& input);

// RuntimeError if they share memory at all, being the same tensor included: for what reads other
// elements than it writes.
void check_apart(const Tensor& written, const Tensor& other);
inline void check_apart(const Tensor& written, TensorList others) {
  for (const Tensor& other : others) check_apart(written, other);
}

}  // namespace opweave
