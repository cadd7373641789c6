// The operators that handwritten binding code calls itself: copying, and what `[]` is made of.
// Calls are dispatched, so they are recorded like any other.
#pragma once

#include "opweave/ops/_to_copy.h"
#include "opweave/ops/alias.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/index.h"
#include "opweave/ops/index_put.h"
#include "opweave/ops/select.h"
#include "opweave/ops/slice.h"
#include "opweave/ops/unsqueeze.h"

namespace opweave::python::operators {

inline constexpr auto* to_copy = &ops::_to_copy::call;
inline constexpr auto* select = &ops::select_int::call;
inline constexpr auto* slice = &ops::slice_Tensor::call;
inline constexpr auto* unsqueeze = &ops::unsqueeze::call;
inline constexpr auto* alias = &ops::alias::call;
inline constexpr auto* clone = &ops::clone::call;
inline constexpr auto* index = &ops::index_Tensor::call;
inline constexpr auto* index_put_ = &ops::index_put_::call;
inline constexpr auto* copy_ = &ops::copy_::call;
inline constexpr auto* fill_ = &ops::fill__Scalar::call;

}  // namespace opweave::python::operators
