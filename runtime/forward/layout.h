// Where the elements of a tangent lie: like those of its tensor, as soon as that has views.
#pragma once

#include "runtime/forward/tangents.h"

namespace opweave {

// `value`, or a copy with the strides of `like`, when they differ and can be had.
Tensor laid_out(const Tensor& value, const Tensor& like);
// Moves the tangent of `t`, when its strides differ and no elements of `t` share a place. To be
// called before the first view is made of it.
void lay_out_tangent(const Tensor& t, const Tangent& tangent);
// The part of `whole`, which is the tangent of the base of `view` and laid out like it, that
// belongs to `view`.
Tensor part_for_view(const Tensor& whole, const Tensor& view);
// Gives a view what its base has got by a write since it was made.
void adopt_late_tangents(const Tensor& view);
// Zeros of the shape, strides and dtype of `t`, into which `contents` can be written: with its
// examples where it stands for several.
Tensor zeros_laid_out(const Tensor& t, const Tensor& contents);

}  // namespace opweave
