// The operators that handwritten binding code calls itself: copying, and what `[]` is made of.
// Found in the registry by their schema; calls are dispatched, so they are recorded like any other.
#pragma once

#include "runtime/autograd/engine_ops.h"

namespace opweave::python::operators {

template <class Signature>
using Op = OperatorBySchema<Signature>;

inline constinit Op<Tensor(const Tensor&, std::optional<ScalarType>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>, bool,
                           std::optional<MemoryFormat>)>
    to_copy{
        "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
        "device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? "
        "memory_format=None) -> Tensor"};
inline constinit Op<Tensor(const Tensor&, int64_t, int64_t)> select{
    "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"};
inline constinit Op<Tensor(const Tensor&, int64_t, std::optional<int64_t>, std::optional<int64_t>,
                           int64_t)>
    slice{
        "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt "
        "step=1) -> Tensor(a)"};
inline constinit Op<Tensor(const Tensor&, int64_t)> unsqueeze{
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"};
inline constinit Op<Tensor(const Tensor&)> alias{"alias(Tensor(a) self) -> Tensor(a)"};
inline constinit Op<Tensor(const Tensor&, TensorList)> index{
    "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"};
inline constinit Op<Tensor&(Tensor&, TensorList, const Tensor&, bool)> index_put_{
    "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
    "Tensor(a!)"};
using engine_ops::copy_;
using engine_ops::fill_;

}  // namespace opweave::python::operators
