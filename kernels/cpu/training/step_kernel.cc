// The rules of the optimizers, element by element. The loops are plain ones that the compiler turns
// into vector code for each instruction set; what is optional is a template parameter.
#include "kernels/cpu/training/step_kernel.h"

#include <cmath>
#include <type_traits>

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training/step_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// What a step is computed in: halves have no arithmetic of their own.
template <class E>
using StepNumber = std::conditional_t<std::is_same_v<E, double>, double, float>;

// rule(p, g, states...) changes the parameter and its first sizeof...(kStates) states.
template <class E, size_t... kStates, class Rule>
HWY_INLINE void each(const Before& before, const StepArrays& arrays, int64_t begin, int64_t end,
                     std::index_sequence<kStates...>, const Rule& rule) {
  using T = StepNumber<E>;
  E* const parameter = static_cast<E*>(arrays.parameter);
  const E* const gradient = static_cast<const E*>(arrays.gradient);
  const T sign = before.maximize ? T(-1) : T(1);
  const T decay = static_cast<T>(before.decay), shrink = static_cast<T>(before.shrink);
  const bool decays = before.decay != 0;
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const T whole = T(parameter[i]), own = sign * T(gradient[i]);
    const T g = decays ? own + decay * whole : own;
    T p = whole * shrink;
    T s[sizeof...(kStates) + 1] = {T(static_cast<const E*>(arrays.states[kStates])[i])...};
    rule(p, g, s[kStates]...);
    ((static_cast<E*>(arrays.states[kStates])[i] = E(s[kStates])), ...);
    parameter[i] = E(p);
  }
}

// From a to b, counted from the nearer end: a weight of 1 gives b, whatever a is.
template <class T>
struct Mix {
  T weight, rest;
  bool is_near_end;
  explicit Mix(double weight)
      : weight(T(weight)), rest(T(1) - T(weight)), is_near_end(T(weight) < T(0.5)) {}
  HWY_INLINE T operator()(T a, T b) const {
    const T change = b - a;
    return is_near_end ? a + weight * change : b - change * rest;
  }
};

// NaN if one of them is.
template <class T>
HWY_INLINE T larger(T a, T b) {
  return a >= b || a != a ? a : b;
}

template <class E>
struct Steps {
  using T = StepNumber<E>;
  using None = std::index_sequence<>;
  using One = std::make_index_sequence<1>;
  using Two = std::make_index_sequence<2>;
  using Three = std::make_index_sequence<3>;

  static void sgd(const SgdRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), keep = T(r.momentum), fresh = T(1 - r.dampening);
    const bool first = r.first, nesterov = r.nesterov;
    if (r.momentum == 0) {
      each<E>(r.before, a, begin, end, None(), [=](T& p, T g) { p -= rate * g; });
      return;
    }
    each<E>(r.before, a, begin, end, One(), [=](T& p, T g, T& buffer) {
      buffer = T(E(first ? g : keep * buffer + fresh * g));
      p -= rate * (nesterov ? g + keep * buffer : buffer);
    });
  }

  static void adam(const AdamRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), beta2 = T(r.beta2), rest2 = T(1 - r.beta2);
    const T scale = T(r.scale), eps = T(r.eps);
    const Mix<T> follow(1 - r.beta1);
    const auto step = [=](T& p, T g, T& mean, T& square, T* largest) {
      mean = follow(mean, g);
      square = beta2 * square + rest2 * g * g;
      T size = square;
      if (largest != nullptr) size = *largest = larger(*largest, square);
      p -= rate * mean / (std::sqrt(size) * scale + eps);
    };
    if (r.amsgrad) {
      each<E>(r.before, a, begin, end, Three(),
              [=](T& p, T g, T& m, T& v, T& most) { step(p, g, m, v, &most); });
    } else {
      each<E>(r.before, a, begin, end, Two(),
              [=](T& p, T g, T& m, T& v) { step(p, g, m, v, nullptr); });
    }
  }

  static void adagrad(const AdagradRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), eps = T(r.eps);
    each<E>(r.before, a, begin, end, One(), [=](T& p, T g, T& sum) {
      sum += g * g;
      p -= rate * g / (std::sqrt(sum) + eps);
    });
  }

  static void adadelta(const AdadeltaRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), rho = T(r.rho), rest = T(1 - r.rho), eps = T(r.eps);
    each<E>(r.before, a, begin, end, Two(), [=](T& p, T g, T& square, T& moved) {
      square = rho * square + rest * g * g;
      const T delta = std::sqrt(moved + eps) / std::sqrt(square + eps) * g;
      moved = rho * moved + rest * delta * delta;
      p -= rate * delta;
    });
  }

  static void adamax(const AdamaxRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), beta2 = T(r.beta2), eps = T(r.eps);
    const Mix<T> follow(1 - r.beta1);
    each<E>(r.before, a, begin, end, Two(), [=](T& p, T g, T& mean, T& largest) {
      mean = follow(mean, g);
      largest = larger(beta2 * largest, std::abs(g) + eps);
      p -= rate * mean / largest;
    });
  }

  template <bool kDivides, bool kOfGradient>
  static void moments_loop(const MomentsRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const Mix<T> follow(1 - r.beta1);
    const T beta2 = T(r.beta2), rest2 = T(1 - r.beta2);
    const T of_gradient = T(r.gradient_rate), of_mean = T(r.mean_rate);
    const T scale = T(r.scale), eps = T(r.eps);
    each<E>(r.before, a, begin, end, Two(), [=](T& p, T g, T& mean, T& square) {
      mean = follow(mean, g);
      square = beta2 * square + rest2 * g * g;
      T moved = of_mean * mean;
      if constexpr (kOfGradient) moved += of_gradient * g;
      if constexpr (kDivides)
        p -= moved / (std::sqrt(square) * scale + eps);
      else
        p -= moved;
    });
  }
  static void moments(const MomentsRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const auto loop = r.gradient_rate != 0 ? moments_loop<true, true>
                      : r.divides          ? moments_loop<true, false>
                                           : moments_loop<false, false>;
    loop(r, a, begin, end);
  }

  template <bool kCentered, bool kMomentum>
  static void rmsprop_loop(const RmspropRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), alpha = T(r.alpha), rest = T(1 - r.alpha);
    const T eps = T(r.eps), momentum = T(r.momentum);
    const Mix<T> follow(1 - r.alpha);
    const auto step = [=](T& p, T g, T& square, T* mean, T* buffer) {
      square = alpha * square + rest * g * g;
      T spread = square;
      if constexpr (kCentered) {
        *mean = follow(*mean, g);
        spread -= *mean * *mean;
      }
      T moved = g / (std::sqrt(spread) + eps);
      if constexpr (kMomentum) moved = *buffer = momentum * *buffer + moved;
      p -= rate * moved;
    };
    if constexpr (kCentered && kMomentum) {
      each<E>(r.before, a, begin, end, Three(),
              [=](T& p, T g, T& v, T& m, T& b) { step(p, g, v, &m, &b); });
    } else if constexpr (kCentered) {
      each<E>(r.before, a, begin, end, Two(),
              [=](T& p, T g, T& v, T& m) { step(p, g, v, &m, nullptr); });
    } else if constexpr (kMomentum) {
      each<E>(r.before, a, begin, end, Two(),
              [=](T& p, T g, T& v, T& b) { step(p, g, v, nullptr, &b); });
    } else {
      each<E>(r.before, a, begin, end, One(),
              [=](T& p, T g, T& v) { step(p, g, v, nullptr, nullptr); });
    }
  }
  static void rmsprop(const RmspropRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const bool moves = r.momentum > 0;
    const auto loop = r.centered ? (moves ? rmsprop_loop<true, true> : rmsprop_loop<true, false>)
                                 : (moves ? rmsprop_loop<false, true> : rmsprop_loop<false, false>);
    loop(r, a, begin, end);
  }

  static void rprop(const RpropRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T shrinks = T(r.shrinks), grows = T(r.grows), least = T(r.least), most = T(r.most);
    each<E>(r.before, a, begin, end, Two(), [=](T& p, T g, T& before, T& size) {
      const T turn = g * before;
      size *= turn > 0 ? grows : (turn < 0 ? shrinks : T(1));
      size = size < least ? least : size;
      size = size > most ? most : size;
      const T used = turn < 0 ? T(0) : g;
      p -= used > 0 ? size : (used < 0 ? -size : T(0));
      before = used;
    });
  }

  static void asgd(const AsgdRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    const T rate = T(r.rate), average = T(r.average);
    const bool follows = r.average == 1;
    each<E>(r.before, a, begin, end, One(), [=](T& p, T g, T& mean) {
      p -= rate * g;
      mean = follows ? p : mean + average * (p - mean);
    });
  }

  static StepKernel kernel() {
    return {&sgd, &adam, &adagrad, &adadelta, &adamax, &moments, &rmsprop, &rprop, &asgd};
  }
};

StepKernel choose_steps(ScalarType dtype) {
  if (!contains(dtypes::kCommonFloating, dtype)) return {};
  return visit_dtypes<dtypes::kCommonFloating>(
      dtype, []<class E>(TypeTag<E>) { return Steps<E>::kernel(); }, [] {});
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_steps);
StepKernel step_kernel(ScalarType dtype) { return HWY_DYNAMIC_DISPATCH(choose_steps)(dtype); }
}  // namespace opweave::cpu
#endif
