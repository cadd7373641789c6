// Fused optimizer steps: one pass over each parameter, its gradient and its state.
#include <cmath>

#include "kernels/cpu/training/optimizer_kernel.h"
#include "opweave/kernels/cpu/_fused_adam_.h"
#include "opweave/kernels/cpu/_fused_sgd_.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

void check_lists(std::string_view op, TensorList self, TensorList other, std::string_view name) {
  OW_CHECK(self.size() == other.size(), op, "(): expected as many ", name, " as parameters (",
           self.size(), "), got ", other.size());
  for (size_t i = 0; i < self.size(); ++i) {
    OW_CHECK(same_sizes(self[i].sizes(), other[i].sizes()) && self[i].dtype() == other[i].dtype(),
             op, "(): ", name, "[", i, "] is a ", other[i], ", its parameter a ", self[i]);
  }
}

// The elements of a dense tensor; a strided one is refused, because parameters and their state are
// made dense.
void* elements(std::string_view op, const Tensor& t) {
  OW_CHECK(t.is_contiguous(), op, "(): expected contiguous parameters, gradients and state");
  return t.raw_data();
}

OptimizerKernel kernel_for(std::string_view op, ScalarType dtype) {
  const OptimizerKernel kernel = optimizer_kernel(dtype);
  OW_CHECK(kernel.adam != nullptr, op, "(): expected parameters of a floating-point dtype, got ",
           dtype);
  return kernel;
}

}  // namespace

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffers,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step) {
  constexpr std::string_view op = "_fused_sgd_";
  check_lists(op, self, grads, "gradients");
  if (momentum != 0) check_lists(op, self, momentum_buffers, "momentum_buffers");
  const SgdOptions options{weight_decay, momentum, lr,           dampening,
                           nesterov,     maximize, is_first_step};
  for (size_t i = 0; i < self.size(); ++i) {
    const OptimizerKernel kernel = kernel_for(op, self[i].dtype());
    const SgdArrays arrays{elements(op, self[i]), elements(op, grads[i]),
                           momentum != 0 ? elements(op, momentum_buffers[i]) : nullptr};
    parallel_for(0, self[i].numel(), kGrainSize,
                 [&](int64_t begin, int64_t end) { kernel.sgd(options, arrays, begin, end); });
  }
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  bool decoupled) {
  constexpr std::string_view op = "_fused_adam_";
  check_lists(op, self, grads, "gradients");
  check_lists(op, self, exp_avgs, "exp_avgs");
  check_lists(op, self, exp_avg_sqs, "exp_avg_sqs");
  if (amsgrad) check_lists(op, self, max_exp_avg_sqs, "max_exp_avg_sqs");
  OW_CHECK(steps.size() == self.size(), op, "(): expected as many steps as parameters (",
           self.size(), "), got ", steps.size());
  for (size_t i = 0; i < self.size(); ++i) {
    float& step = *steps[i].data<float>();
    step += 1;
    const AdamOptions options{lr,
                              beta1,
                              beta2,
                              weight_decay,
                              eps,
                              maximize,
                              decoupled,
                              1 - std::pow(beta1, step),
                              1 - std::pow(beta2, step)};
    const OptimizerKernel kernel = kernel_for(op, self[i].dtype());
    const AdamArrays arrays{elements(op, self[i]), elements(op, grads[i]),
                            elements(op, exp_avgs[i]), elements(op, exp_avg_sqs[i]),
                            amsgrad ? elements(op, max_exp_avg_sqs[i]) : nullptr};
    parallel_for(0, self[i].numel(), kGrainSize,
                 [&](int64_t begin, int64_t end) { kernel.adam(options, arrays, begin, end); });
  }
}

}  // namespace opweave::cpu
