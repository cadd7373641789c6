// What programs do with tangents: tensors with them, tensors without a history that keep them, and
// operators defined at run time.
#pragma once

#include "runtime/forward/tangents.h"

namespace opweave {

class OperatorEntry;

// RuntimeError unless `tangent` can be one of `primal`.
void check_alike(const Tensor& primal, const Tensor& tangent);
// A view of `primal` that has the tangent.
Tensor make_dual(const Tensor& primal, const Tensor& tangent, const TangentLevelPtr& level);

// As tangent_level(), but a view takes up first what a write has given to its base since: operators
// do that with their arguments, whoever else asks has to.
int32_t adopted_tangent_level(const Tensor& t);

// The tangent of a result; undefined if there is none. Under vmap that of an example.
Tensor tangent_of(const Tensor& t, int32_t level);
// Gives a result its tangent, and returns it. Under vmap both are those of an example: where the
// tangents differ between examples and the result does not, the answer is another tensor.
Tensor with_tangent(const Tensor& t, const Tensor& tangent, const TangentLevelPtr& level);

// The tensors without their history, and that of their tangents, unless leaves have a part in it
// that no transform made. Of batched tensors: of their values.
std::vector<Tensor> released(TensorList tensors);

// Like detach(), but the result keeps the tangents that operators see, and is a normal tensor even
// of one that was made in inference mode. What transforms start from:
// their own derivative shall not follow the history of a tensor, but outer ones follow its
// tangents.
Tensor detached_with_tangents(const Tensor& t);

// The tensor, which is new, as a leaf for a transform to differentiate by: see released().
Tensor transform_leaf(Tensor t);

// What a transform hands to its function in the place of a tensor, to differentiate by: over the
// same memory, with its tangents, and with its history if it has one, which goes on beyond this
// tensor. No view of the tensor, as autograd sees it: views of this one get their history from here
// when memory was written to, and not from where the transform cannot see. Recorded writes to it
// are refused, as those to a leaf.
Tensor transform_input(const Tensor& t);

// Of an operator without a generated rule. Makes a call fail whose arguments have tangents and
// whose results have none: its kernel is not made of operators that carry them on. A kernel for
// the key "Forward" replaces this.
void require_tangents(OperatorEntry& op);

}  // namespace opweave
