// Pointwise operators on tensors without data: the plan's checks, shape, strides and dtype, and no
// loop.
#pragma once

#include "runtime/pointwise/layers.h"
#include "runtime/pointwise/plan.h"

namespace opweave::meta {

inline Tensor run_pointwise(const PointwiseSpec& spec, TensorRefs inputs,
                            std::span<const Scalar> params) {
  PointwisePlan plan;
  return plan_pointwise(spec, inputs, params, plan);
}

inline void run_pointwise_into(const PointwiseSpec& spec, Tensor& out, bool resize,
                               TensorRefs inputs, std::span<const Scalar> params) {
  if (writes_layers(spec, out, resize)) {
    return write_layers(spec, out, inputs, [&](Tensor& layer, TensorRefs parts) {
      run_pointwise_into(spec, layer, resize, parts, params);
    });
  }
  PointwisePlan plan;
  plan_pointwise_into(spec, out, resize, inputs, params, plan);
}

}  // namespace opweave::meta
