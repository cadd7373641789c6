// Fused optimizer steps: one pass over each parameter, its gradient and its state.
#include <cmath>
#include <type_traits>

#include "opweave/kernels/cpu.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

void check_lists(std::string_view op, TensorList self, TensorList other, std::string_view name) {
  OW_CHECK(self.size() == other.size(), op, "(): expected as many ", name, " as parameters (",
           self.size(), "), got ", other.size());
  for (size_t i = 0; i < self.size(); ++i) {
    OW_CHECK(same_sizes(self[i].sizes(), other[i].sizes()) && self[i].dtype() == other[i].dtype(), op,
             "(): ", name, "[", i, "] is a ", other[i], ", its parameter a ", self[i]);
  }
}

// The elements of a dense tensor; a strided one is refused, because parameters and their state are
// made dense.
template <class T>
T* elements(std::string_view op, const Tensor& t) {
  OW_CHECK(t.is_contiguous(), op, "(): expected contiguous parameters, gradients and state");
  return static_cast<T*>(t.raw_data());
}

template <class F>
void for_float_type(std::string_view op, ScalarType dtype, F f) {
  switch (dtype) {
    case kFloat:
      return f(float());
    case kDouble:
      return f(double());
    case kHalf:
      return f(Half());
    case kBFloat16:
      return f(BFloat16());
    default:
      OW_THROW(ErrorKind::kRuntime, op, "(): expected parameters of a floating-point dtype, got ",
               dtype);
  }
}

struct SgdOptions {
  double weight_decay, momentum, lr, dampening;
  bool nesterov, maximize, first;
};

// What a step is computed in: halves have no arithmetic of their own.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class E>
void sgd_range(const SgdOptions& o, E* p, const E* g, E* b, int64_t begin, int64_t end) {
  using T = Computed<E>;
  const T decay = static_cast<T>(o.weight_decay), momentum = static_cast<T>(o.momentum);
  const T rate = static_cast<T>(o.lr), fresh = static_cast<T>(1 - o.dampening);
  const T sign = o.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    T d = sign * T(g[i]) + decay * T(p[i]);
    if (b != nullptr) {
      b[i] = E(o.first ? d : momentum * T(b[i]) + fresh * d);
      d = o.nesterov ? d + momentum * T(b[i]) : T(b[i]);
    }
    p[i] = E(T(p[i]) - rate * d);
  }
}

struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool maximize, decoupled;
  double correction1, correction2;  // 1 - beta^step
};

template <class E>
void adam_range(const AdamOptions& o, E* p, const E* g, E* m, E* v, E* vmax, int64_t begin,
                int64_t end) {
  using T = Computed<E>;
  const T decay = static_cast<T>(o.decoupled ? 0 : o.weight_decay);
  const T shrink = static_cast<T>(o.decoupled ? 1 - o.lr * o.weight_decay : 1);
  const T beta2 = static_cast<T>(o.beta2), rest1 = static_cast<T>(1 - o.beta1);
  const T rest2 = static_cast<T>(1 - o.beta2), eps = static_cast<T>(o.eps);
  const T rate = static_cast<T>(o.lr / o.correction1);
  const T scale = static_cast<T>(1 / std::sqrt(o.correction2));
  const T sign = o.maximize ? T(-1) : T(1);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const T q = T(p[i]) * shrink;
    const T d = sign * T(g[i]) + decay * q;
    const T first = T(m[i]) + rest1 * (d - T(m[i]));
    T second = beta2 * T(v[i]) + rest2 * d * d;
    m[i] = E(first);
    v[i] = E(second);
    if (vmax != nullptr) {
      second = std::max(T(vmax[i]), second);
      vmax[i] = E(second);
    }
    p[i] = E(q - rate * first / (std::sqrt(second) * scale + eps));
  }
}

}  // namespace

void _fused_sgd_(TensorList self, TensorList grads, TensorList momentum_buffers, double weight_decay,
                 double momentum, double lr, double dampening, bool nesterov, bool maximize,
                 bool is_first_step) {
  constexpr std::string_view op = "_fused_sgd_";
  check_lists(op, self, grads, "gradients");
  if (momentum != 0) check_lists(op, self, momentum_buffers, "momentum_buffers");
  const SgdOptions options{weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step};
  for (size_t i = 0; i < self.size(); ++i) {
    for_float_type(op, self[i].dtype(), [&]<class T>(T) {
      T* p = elements<T>(op, self[i]);
      const T* g = elements<T>(op, grads[i]);
      T* b = momentum != 0 ? elements<T>(op, momentum_buffers[i]) : nullptr;
      parallel_for(0, self[i].numel(), kGrainSize, [&](int64_t begin, int64_t end) {
        sgd_range(options, p, g, b, begin, end);
      });
    });
  }
}

void _fused_adam_(TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                  TensorList max_exp_avg_sqs, TensorList steps, double lr, double beta1, double beta2,
                  double weight_decay, double eps, bool amsgrad, bool maximize, bool decoupled) {
  constexpr std::string_view op = "_fused_adam_";
  check_lists(op, self, grads, "gradients");
  check_lists(op, self, exp_avgs, "exp_avgs");
  check_lists(op, self, exp_avg_sqs, "exp_avg_sqs");
  if (amsgrad) check_lists(op, self, max_exp_avg_sqs, "max_exp_avg_sqs");
  OW_CHECK(steps.size() == self.size(), op, "(): expected as many steps as parameters (", self.size(),
           "), got ", steps.size());
  for (size_t i = 0; i < self.size(); ++i) {
    float& step = *steps[i].data<float>();
    step += 1;
    const AdamOptions options{lr,       beta1,     beta2, weight_decay, eps, maximize, decoupled,
                              1 - std::pow(beta1, step), 1 - std::pow(beta2, step)};
    for_float_type(op, self[i].dtype(), [&]<class T>(T) {
      T* p = elements<T>(op, self[i]);
      const T* g = elements<T>(op, grads[i]);
      T* m = elements<T>(op, exp_avgs[i]);
      T* v = elements<T>(op, exp_avg_sqs[i]);
      T* vmax = amsgrad ? elements<T>(op, max_exp_avg_sqs[i]) : nullptr;
      parallel_for(0, self[i].numel(), kGrainSize, [&](int64_t begin, int64_t end) {
        adam_range(options, p, g, m, v, vmax, begin, end);
      });
    });
  }
}

}  // namespace opweave::cpu
