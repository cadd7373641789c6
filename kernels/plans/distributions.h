// What each distribution makes of draws, which runtime/core/random counts and gives: the same
// numbers from every target. Loops over a batch of draws, always inlined into those of a target.
#pragma once

#include <cmath>

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/random/random_numbers.h"

namespace opweave::plans::distributions {

#define OW_INLINE inline __attribute__((always_inline))

template <class T>
using Real = compute_type<T>;  // float or double

// make() turns draws into values; store() turns a value into an element.
struct Uniform {
  double from, to;
  int digits;

  template <class F, class W>
  OW_INLINE void make(const W* draws, F* values, int64_t n) const {
    const F low = static_cast<F>(from), width = static_cast<F>(to) - low;
    for (int64_t i = 0; i < n; ++i) values[i] = low + width * random::unit(draws[i], digits);
  }
  // Rounding may reach the end, which is not included.
  template <class T>
  OW_INLINE T store(Real<T> value) const {
    const T rounded = static_cast<T>(value), low = static_cast<T>(static_cast<Real<T>>(from));
    return static_cast<Real<T>>(rounded) < static_cast<Real<T>>(to) ? rounded : low;
  }
};

struct Normal {
  double mean, std;

  template <class F, class W>
  OW_INLINE void make(const W* draws, F* values, int64_t n) const {
    const F shift = static_cast<F>(mean), scale = static_cast<F>(std);
    for (int64_t i = 0; i < n; i += 2) {
      const F radius = std::sqrt(random::radius_squared(draws[i]));
      const auto direction = random::direction(draws[i + 1]);
      values[i] = shift + scale * (radius * direction.cosine);
      values[i + 1] = shift + scale * (radius * direction.sine);
    }
  }
  template <class T>
  OW_INLINE T store(Real<T> value) const {
    return static_cast<T>(value);
  }
};

struct Exponential {
  double lambda;

  template <class F, class W>
  OW_INLINE void make(const W* draws, F* values, int64_t n) const {
    const F scale = static_cast<F>(lambda);
    for (int64_t i = 0; i < n; ++i) values[i] = random::exponential(draws[i]) / scale;
  }
  template <class T>
  OW_INLINE T store(Real<T> value) const {
    return static_cast<T>(value);
  }
};

struct Bernoulli {
  double p;
  const double* each;  // a probability per element, or null
};

struct Integers {
  int64_t low;
  uint64_t range;
  bool wide() const { return range == 0 || range > random::kNarrowValues; }
};

#undef OW_INLINE

}  // namespace opweave::plans::distributions
