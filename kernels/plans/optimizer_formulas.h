// One step of each optimizer, of one element: what loops over elements call, on the host or on a
// device. A formula is made of its rule once and called with a parameter, the gradient that
// BeforeStep made, and the element's states, which it changes. E is the type of the elements, which
// states are rounded to; StepNumber<E> is what is computed in.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "kernels/plans/optimizer_rules.h"

#ifdef __CUDACC__
#define OW_STEP __host__ __device__ __forceinline__
#else
#define OW_STEP [[gnu::always_inline]] inline
#endif

namespace opweave::plans {

// Halves have no arithmetic of their own.
template <class E>
using StepNumber = std::conditional_t<std::is_same_v<E, double>, double, float>;

// The gradient that an optimizer sees, and the parameter that it begins with.
template <class T>
struct BeforeStep {
  T sign, decay, shrink;
  bool decays;

  OW_STEP explicit BeforeStep(const Before& before)
      : sign(before.maximize ? T(-1) : T(1)),
        decay(static_cast<T>(before.decay)),
        shrink(static_cast<T>(before.shrink)),
        decays(before.decay != 0) {}
  OW_STEP T gradient(T given, T parameter) const {
    const T own = sign * given;
    return decays ? own + decay * parameter : own;
  }
  OW_STEP T parameter(T whole) const { return whole * shrink; }
};

// From a to b, counted from the nearer end: a weight of 1 gives b, whatever a is.
template <class T>
struct Mix {
  T weight, rest;
  bool is_near_end;

  OW_STEP explicit Mix(double given)
      : weight(T(given)), rest(T(1) - T(given)), is_near_end(T(given) < T(0.5)) {}
  OW_STEP T operator()(T a, T b) const {
    const T change = b - a;
    return is_near_end ? a + weight * change : b - change * rest;
  }
};

// NaN if one of them is.
template <class T>
OW_STEP T larger(T a, T b) {
  return a >= b || a != a ? a : b;
}

template <class E>
struct PlainSgd {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 0;
  T rate;

  OW_STEP explicit PlainSgd(const SgdRule& r) : rate(T(r.rate)) {}
  OW_STEP void operator()(T& p, T g) const { p -= rate * g; }
};

template <class E>
struct MomentumSgd {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 1;
  T rate, keep, fresh;
  bool first, nesterov;

  OW_STEP explicit MomentumSgd(const SgdRule& r)
      : rate(T(r.rate)),
        keep(T(r.momentum)),
        fresh(T(1 - r.dampening)),
        first(r.first),
        nesterov(r.nesterov) {}
  OW_STEP void operator()(T& p, T g, T& buffer) const {
    buffer = T(E(first ? g : keep * buffer + fresh * g));
    p -= rate * (nesterov ? g + keep * buffer : buffer);
  }
};

// D. P. Kingma, J. Ba, "Adam", 2015; with kMost the largest second moment so far is used (S. J.
// Reddi et al., "On the Convergence of Adam and Beyond", 2018).
template <class E, bool kMost>
struct Adam {
  using T = StepNumber<E>;
  static constexpr size_t kStates = kMost ? 3 : 2;
  T rate, beta2, rest2, scale, eps;
  Mix<T> follow;

  OW_STEP explicit Adam(const AdamRule& r)
      : rate(T(r.rate)),
        beta2(T(r.beta2)),
        rest2(T(1 - r.beta2)),
        scale(T(r.scale)),
        eps(T(r.eps)),
        follow(1 - r.beta1) {}
  OW_STEP void operator()(T& p, T g, T& mean, T& square) const {
    update(g, mean, square);
    p -= rate * mean / (std::sqrt(square) * scale + eps);
  }
  OW_STEP void operator()(T& p, T g, T& mean, T& square, T& largest) const {
    update(g, mean, square);
    largest = larger(largest, square);
    p -= rate * mean / (std::sqrt(largest) * scale + eps);
  }

 private:
  OW_STEP void update(T g, T& mean, T& square) const {
    mean = follow(mean, g);
    square = beta2 * square + rest2 * g * g;
  }
};

template <class E>
struct Adagrad {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 1;
  T rate, eps;

  OW_STEP explicit Adagrad(const AdagradRule& r) : rate(T(r.rate)), eps(T(r.eps)) {}
  OW_STEP void operator()(T& p, T g, T& sum) const {
    sum += g * g;
    p -= rate * g / (std::sqrt(sum) + eps);
  }
};

template <class E>
struct Adadelta {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 2;
  T rate, rho, rest, eps;

  OW_STEP explicit Adadelta(const AdadeltaRule& r)
      : rate(T(r.rate)), rho(T(r.rho)), rest(T(1 - r.rho)), eps(T(r.eps)) {}
  OW_STEP void operator()(T& p, T g, T& square, T& moved) const {
    square = rho * square + rest * g * g;
    const T delta = std::sqrt(moved + eps) / std::sqrt(square + eps) * g;
    moved = rho * moved + rest * delta * delta;
    p -= rate * delta;
  }
};

template <class E>
struct Adamax {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 2;
  T rate, beta2, eps;
  Mix<T> follow;

  OW_STEP explicit Adamax(const AdamaxRule& r)
      : rate(T(r.rate)), beta2(T(r.beta2)), eps(T(r.eps)), follow(1 - r.beta1) {}
  OW_STEP void operator()(T& p, T g, T& mean, T& largest) const {
    mean = follow(mean, g);
    largest = larger(beta2 * largest, std::abs(g) + eps);
    p -= rate * mean / largest;
  }
};

// NAdam and RAdam. kDivides: by the root of the second moment; kOfGradient: the gradient counts
// beside the mean.
template <class E, bool kDivides, bool kOfGradient>
struct Moments {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 2;
  T beta2, rest2, of_gradient, of_mean, scale, eps;
  Mix<T> follow;

  OW_STEP explicit Moments(const MomentsRule& r)
      : beta2(T(r.beta2)),
        rest2(T(1 - r.beta2)),
        of_gradient(T(r.gradient_rate)),
        of_mean(T(r.mean_rate)),
        scale(T(r.scale)),
        eps(T(r.eps)),
        follow(1 - r.beta1) {}
  OW_STEP void operator()(T& p, T g, T& mean, T& square) const {
    mean = follow(mean, g);
    square = beta2 * square + rest2 * g * g;
    T moved = of_mean * mean;
    if constexpr (kOfGradient) moved += of_gradient * g;
    if constexpr (kDivides) {
      p -= moved / (std::sqrt(square) * scale + eps);
    } else {
      p -= moved;
    }
  }
};

// The states: the second moment, then the mean if the moment is centered, then the buffer of the
// momentum if there is one.
template <class E, bool kCentered, bool kMomentum>
struct Rmsprop {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 1 + kCentered + kMomentum;
  T rate, alpha, rest, eps, momentum;
  Mix<T> follow;

  OW_STEP explicit Rmsprop(const RmspropRule& r)
      : rate(T(r.rate)),
        alpha(T(r.alpha)),
        rest(T(1 - r.alpha)),
        eps(T(r.eps)),
        momentum(T(r.momentum)),
        follow(1 - r.alpha) {}
  OW_STEP void operator()(T& p, T g, T& square) const { step(p, g, square, square, square); }
  OW_STEP void operator()(T& p, T g, T& square, T& other) const {
    step(p, g, square, other, other);
  }
  OW_STEP void operator()(T& p, T g, T& square, T& mean, T& buffer) const {
    step(p, g, square, mean, buffer);
  }

 private:
  OW_STEP void step(T& p, T g, T& square, T& mean, T& buffer) const {
    square = alpha * square + rest * g * g;
    T spread = square;
    if constexpr (kCentered) {
      mean = follow(mean, g);
      spread -= mean * mean;
    }
    T moved = g / (std::sqrt(spread) + eps);
    if constexpr (kMomentum) moved = buffer = momentum * buffer + moved;
    p -= rate * moved;
  }
};

// The states: the gradient before, and the size of a step.
template <class E>
struct Rprop {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 2;
  T shrinks, grows, least, most;

  OW_STEP explicit Rprop(const RpropRule& r)
      : shrinks(T(r.shrinks)), grows(T(r.grows)), least(T(r.least)), most(T(r.most)) {}
  OW_STEP void operator()(T& p, T g, T& before, T& size) const {
    const T turn = g * before;
    size *= turn > 0 ? grows : (turn < 0 ? shrinks : T(1));
    size = size < least ? least : size;
    size = size > most ? most : size;
    const T used = turn < 0 ? T(0) : g;
    p -= used > 0 ? size : (used < 0 ? -size : T(0));
    before = used;
  }
};

template <class E>
struct Asgd {
  using T = StepNumber<E>;
  static constexpr size_t kStates = 1;
  T rate, average;
  bool follows;

  OW_STEP explicit Asgd(const AsgdRule& r)
      : rate(T(r.rate)), average(T(r.average)), follows(r.average == 1) {}
  OW_STEP void operator()(T& p, T g, T& mean) const {
    p -= rate * g;
    mean = follows ? p : mean + average * (p - mean);
  }
};

#undef OW_STEP

}  // namespace opweave::plans
