// Fused steps of the optimizers: the numbers of each step, and one pass over each parameter, its
// gradient and its state.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "kernels/cpu/training/step_kernel.h"
#include "opweave/kernels/cpu/_fused_adadelta_.h"
#include "opweave/kernels/cpu/_fused_adagrad_.h"
#include "opweave/kernels/cpu/_fused_adam_.h"
#include "opweave/kernels/cpu/_fused_adamax_.h"
#include "opweave/kernels/cpu/_fused_asgd_.h"
#include "opweave/kernels/cpu/_fused_nadam_.h"
#include "opweave/kernels/cpu/_fused_radam_.h"
#include "opweave/kernels/cpu/_fused_rmsprop_.h"
#include "opweave/kernels/cpu/_fused_rprop_.h"
#include "opweave/kernels/cpu/_fused_sgd_.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// A number that is kept beside a parameter, after `change`; in float32 or float64, as it was made.
template <class Change>
double changed(const Tensor& number, const Change& change) {
  const auto change_in = [&]<class T>(T& value) -> double { return value = change(value); };
  if (number.dtype() == kDouble) return change_in(*number.data<double>());
  return change_in(*number.data<float>());
}

double next(const Tensor& step) {
  return changed(step, [](auto value) { return value + 1; });
}
double value_of(const Tensor& number) {
  return changed(number, [](auto value) { return value; });
}
void set(const Tensor& number, double value) {
  changed(number, [value]<class T>(T) { return static_cast<T>(value); });
}

// `loop` is one of the kernel's members.
template <class Rule>
void run(StepLoop<Rule> StepKernel::*loop, const Rule& rule, const Tensor& parameter,
         const Tensor& gradient, std::initializer_list<const Tensor*> states) {
  StepArrays arrays{parameter.raw_data(), gradient.raw_data(), {}};
  size_t n = 0;
  for (const Tensor* state : states)
    if (state != nullptr) arrays.states[n++] = state->raw_data();
  const auto step = step_kernel(parameter.dtype()).*loop;
  parallel_for(0, parameter.numel(), kGrainSize,
               [&](int64_t begin, int64_t end) { step(rule, arrays, begin, end); });
}

plans::Before before(double weight_decay, bool maximize) { return {weight_decay, 1, maximize}; }
// Decay apart from the gradient, as AdamW has it.
plans::Before before(double weight_decay, bool maximize, bool decoupled, double lr) {
  if (!decoupled) return before(weight_decay, maximize);
  return {0, 1 - lr * weight_decay, maximize};
}

}  // namespace

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffers,
                 double weight_decay, double momentum, double lr, double dampening, bool nesterov,
                 bool maximize, bool is_first_step) {
  const plans::SgdRule rule{
      before(weight_decay, maximize), lr, momentum, dampening, nesterov, is_first_step};
  for (size_t i = 0; i < self.size(); ++i)
    run(&StepKernel::sgd, rule, self[i], grads[i],
        {momentum != 0 ? &momentum_buffers[i] : nullptr});
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList steps, double lr, double beta1,
                  double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
                  bool decoupled) {
  for (size_t i = 0; i < self.size(); ++i) {
    const double step = next(steps[i]);
    const plans::AdamRule rule{before(weight_decay, maximize, decoupled, lr),
                               lr / (1 - std::pow(beta1, step)),
                               beta1,
                               beta2,
                               1 / std::sqrt(1 - std::pow(beta2, step)),
                               eps,
                               amsgrad};
    run(&StepKernel::adam, rule, self[i], grads[i],
        {&exp_avgs[i], &exp_avg_sqs[i], amsgrad ? &max_exp_avg_sqs[i] : nullptr});
  }
}

void _fused_adagrad_(TensorList self, TensorList grads, TensorList state_sums, TensorList steps,
                     double lr, double lr_decay, double weight_decay, double eps, bool maximize) {
  for (size_t i = 0; i < self.size(); ++i) {
    const double rate = lr / (1 + (next(steps[i]) - 1) * lr_decay);
    const plans::AdagradRule rule{before(weight_decay, maximize), rate, eps};
    run(&StepKernel::adagrad, rule, self[i], grads[i], {&state_sums[i]});
  }
}

void _fused_adadelta_(TensorList self, TensorList grads, TensorList square_avgs,
                      TensorList acc_deltas, TensorList steps, double lr, double rho, double eps,
                      double weight_decay, bool maximize) {
  const plans::AdadeltaRule rule{before(weight_decay, maximize), lr, rho, eps};
  for (size_t i = 0; i < self.size(); ++i) {
    next(steps[i]);
    run(&StepKernel::adadelta, rule, self[i], grads[i], {&square_avgs[i], &acc_deltas[i]});
  }
}

void _fused_adamax_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_infs,
                    TensorList steps, double lr, double beta1, double beta2, double weight_decay,
                    double eps, bool maximize) {
  for (size_t i = 0; i < self.size(); ++i) {
    const double rate = lr / (1 - std::pow(beta1, next(steps[i])));
    const plans::AdamaxRule rule{before(weight_decay, maximize), rate, beta1, beta2, eps};
    run(&StepKernel::adamax, rule, self[i], grads[i], {&exp_avgs[i], &exp_infs[i]});
  }
}

// Dozat, "Incorporating Nesterov Momentum into Adam" (2016).
void _fused_nadam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList mu_products, TensorList steps, double lr, double beta1, double beta2,
                   double weight_decay, double eps, double momentum_decay, bool decoupled,
                   bool maximize) {
  const auto momentum = [&](double step) {
    return beta1 * (1 - 0.5 * std::pow(0.96, step * momentum_decay));
  };
  for (size_t i = 0; i < self.size(); ++i) {
    const double step = next(steps[i]);
    const double mu = momentum(step), mu_next = momentum(step + 1);
    const double all =
        changed(mu_products[i], [mu]<class T>(T product) { return product * static_cast<T>(mu); });
    const plans::MomentsRule rule{before(weight_decay, maximize, decoupled, lr),
                                  beta1,
                                  beta2,
                                  lr * (1 - mu) / (1 - all),
                                  lr * mu_next / (1 - all * mu_next),
                                  1 / std::sqrt(1 - std::pow(beta2, step)),
                                  eps};
    run(&StepKernel::moments, rule, self[i], grads[i], {&exp_avgs[i], &exp_avg_sqs[i]});
  }
}

// Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond" (ICLR 2020).
void _fused_radam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                   TensorList steps, double lr, double beta1, double beta2, double weight_decay,
                   double eps, bool decoupled, bool maximize) {
  const double longest = 2 / (1 - beta2) - 1;  // the length of the moving average, at last
  for (size_t i = 0; i < self.size(); ++i) {
    const double step = next(steps[i]), power = std::pow(beta2, step);
    const double length = longest - 2 * step * power / (1 - power);
    plans::MomentsRule rule{before(weight_decay, maximize, decoupled, lr),
                            beta1,
                            beta2,
                            0,
                            lr / (1 - std::pow(beta1, step)),
                            1,
                            eps,
                            length > 5};
    if (rule.divides)
      rule.mean_rate *= std::sqrt((1 - power) * (length - 4) * (length - 2) * longest /
                                  ((longest - 4) * (longest - 2) * length));
    run(&StepKernel::moments, rule, self[i], grads[i], {&exp_avgs[i], &exp_avg_sqs[i]});
  }
}

void _fused_rmsprop_(TensorList self, TensorList grads, TensorList square_avgs,
                     TensorList grad_avgs, TensorList momentum_buffers, TensorList steps, double lr,
                     double alpha, double eps, double weight_decay, double momentum, bool centered,
                     bool maximize) {
  const plans::RmspropRule rule{before(weight_decay, maximize), lr, alpha, eps, momentum, centered};
  for (size_t i = 0; i < self.size(); ++i) {
    next(steps[i]);
    run(&StepKernel::rmsprop, rule, self[i], grads[i],
        {&square_avgs[i], centered ? &grad_avgs[i] : nullptr,
         momentum > 0 ? &momentum_buffers[i] : nullptr});
  }
}

void _fused_rprop_(TensorList self, TensorList grads, TensorList prevs, TensorList step_sizes,
                   TensorList steps, double etaminus, double etaplus, double step_size_min,
                   double step_size_max, bool maximize) {
  const plans::RpropRule rule{before(0, maximize), etaminus, etaplus, step_size_min, step_size_max};
  for (size_t i = 0; i < self.size(); ++i) {
    next(steps[i]);
    run(&StepKernel::rprop, rule, self[i], grads[i], {&prevs[i], &step_sizes[i]});
  }
}

// Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992).
void _fused_asgd_(TensorList self, TensorList grads, TensorList axs, TensorList mus,
                  TensorList etas, TensorList steps, double lr, double lambd, double t0,
                  double alpha, double weight_decay, bool maximize) {
  for (size_t i = 0; i < self.size(); ++i) {
    const double step = next(steps[i]);
    const double eta = value_of(etas[i]);
    plans::AsgdRule rule{before(weight_decay, maximize), eta, value_of(mus[i])};
    rule.before.shrink = 1 - lambd * eta;
    run(&StepKernel::asgd, rule, self[i], grads[i], {&axs[i]});
    set(etas[i], lr / std::pow(1 + lambd * lr * step, alpha));
    set(mus[i], 1 / std::max(1.0, step - t0));
  }
}

}  // namespace opweave::cpu
