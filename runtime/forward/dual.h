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

// The tangent of a result; undefined if there is none.
Tensor tangent_of(const Tensor& t, int32_t level);

// The tensors without their history, and that of their tangents, unless leaves other than `leaves`
// have a part in it. Of batched tensors: of their values.
std::vector<Tensor> released(TensorList tensors, TensorList leaves);

// Like detach(), but the result keeps the tangents that operators see. What transforms start from:
// their own derivative shall not follow the history of a tensor, but outer ones follow its
// tangents.
Tensor detached_with_tangents(const Tensor& t);

// Of an operator without a generated rule. Makes a call fail whose arguments have tangents and
// whose results have none: its kernel is not made of operators that carry them on. A kernel for
// the key "Forward" replaces this.
void require_tangents(OperatorEntry& op);

}  // namespace opweave
