// Fused optimizer steps: one pass over each parameter, its gradient and its state.
#include <cmath>

#include "kernels/cpu/training/optimizer_kernel.h"
#include "opweave/kernels/cpu/_fused_adam_.h"
#include "opweave/kernels/cpu/_fused_sgd_.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffers,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step) {
  const SgdOptions options{weight_decay, momentum, lr,           dampening,
                           nesterov,     maximize, is_first_step};
  for (size_t i = 0; i < self.size(); ++i) {
    const OptimizerKernel kernel = optimizer_kernel(self[i].dtype());
    const SgdArrays arrays{self[i].raw_data(), grads[i].raw_data(),
                           momentum != 0 ? momentum_buffers[i].raw_data() : nullptr};
    parallel_for(0, self[i].numel(), kGrainSize,
                 [&](int64_t begin, int64_t end) { kernel.sgd(options, arrays, begin, end); });
  }
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  bool decoupled) {
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
    const OptimizerKernel kernel = optimizer_kernel(self[i].dtype());
    const AdamArrays arrays{self[i].raw_data(), grads[i].raw_data(), exp_avgs[i].raw_data(),
                            exp_avg_sqs[i].raw_data(),
                            amsgrad ? max_exp_avg_sqs[i].raw_data() : nullptr};
    parallel_for(0, self[i].numel(), kGrainSize,
                 [&](int64_t begin, int64_t end) { kernel.adam(options, arrays, begin, end); });
  }
}

}  // namespace opweave::cpu
