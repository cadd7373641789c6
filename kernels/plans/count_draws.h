// Counts that are drawn, Poisson's and binomial ones, from numbers evenly distributed over [0, 1):
// `uniform()` gives the next. How many a count takes depends on them; in double precision whatever
// the dtype. Source: W. Hörmann, "The transformed rejection method for generating Poisson random
// variables" and "The generation of binomial random variates", 1993; small ones by products and by
// runs of failures.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace opweave::plans {

namespace count_draws {

template <class Uniform>
double few_events(double rate, Uniform&& uniform) {
  if (!(rate > 0)) return 0;
  const double end = std::exp(-rate);
  double count = 0;
  for (double product = uniform(); product > end; product *= uniform()) ++count;
  return count;
}

template <class Uniform>
double many_events(double rate, Uniform&& uniform) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double scale = std::log(1.1239 + 1.1328 / (b - 3.4));
  const double box = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform() - 0.5, v = uniform();
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= box) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    const double density = -rate + k * std::log(rate) - std::lgamma(k + 1);
    if (std::log(v) + scale - std::log(a / (edge * edge) + b) <= density) return k;
  }
}

// What Stirling's formula leaves of log(k!).
inline double stirling_tail(double k) {
  if (k <= 9) {
    const double next = k + 1;
    return std::lgamma(next) -
           ((k + 0.5) * std::log(next) - next + 0.5 * std::log(2 * std::numbers::pi));
  }
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// By the lengths of runs without success.
template <class Uniform>
double few_successes(double trials, double share, Uniform&& uniform) {
  const double log_of_failure = std::log1p(-share);
  double passed = 0;
  for (double found = 0;; ++found) {
    const double u = uniform();
    passed +=
        u == 0 ? std::numeric_limits<double>::infinity() : std::ceil(std::log(u) / log_of_failure);
    if (passed > trials) return found;
  }
}

// The logarithm of how likely a number of successes is, by how likely the likeliest one is.
class Likelihood {
 public:
  Likelihood(double trials, double share)
      : trials_(trials), ratio_(share / (1 - share)), mode_(std::floor((trials + 1) * share)) {
    rest_ = trials - mode_ + 1;
    fixed_ = (mode_ + 0.5) * std::log((mode_ + 1) / (ratio_ * rest_)) + stirling_tail(mode_) +
             stirling_tail(trials - mode_);
  }
  double operator()(double k) const {
    const double left = trials_ - k + 1;
    return fixed_ + (trials_ + 1) * std::log(rest_ / left) +
           (k + 0.5) * std::log(ratio_ * left / (k + 1)) - stirling_tail(k) -
           stirling_tail(trials_ - k);
  }

 private:
  double trials_, ratio_, mode_, rest_ = 0, fixed_ = 0;
};

template <class Uniform>
double many_successes(double trials, double share, Uniform&& uniform) {
  const double deviation = std::sqrt(trials * share * (1 - share));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * share;
  const double middle = trials * share + 0.5;
  const double box = 0.92 - 4.2 / b;
  const double scale = (2.83 + 5.1 / b) * deviation;
  const Likelihood bound(trials, share);
  for (;;) {
    const double u = uniform() - 0.5, v = uniform();
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + middle);
    if (k < 0 || k > trials) continue;
    if (edge >= 0.07 && v <= box) return k;
    if (std::log(v * scale / (a / (edge * edge) + b)) <= bound(k)) return k;
  }
}

}  // namespace count_draws

// How many events come at a rate, which is finite and not negative.
template <class Uniform>
double drawn_poisson(double rate, Uniform&& uniform) {
  return rate >= 10 ? count_draws::many_events(rate, uniform)
                    : count_draws::few_events(rate, uniform);
}

// How many of `trials`, a finite number, succeed that do so with probability `share`; NaN of NaN.
template <class Uniform>
double drawn_binomial(double trials, double share, Uniform&& uniform) {
  if (std::isnan(trials) || std::isnan(share)) return std::numeric_limits<double>::quiet_NaN();
  if (trials <= 0 || share <= 0) return 0;
  if (share >= 1) return trials;
  const double less = share > 0.5 ? 1 - share : share;
  const double found = trials * less >= 10 ? count_draws::many_successes(trials, less, uniform)
                                           : count_draws::few_successes(trials, less, uniform);
  return share > 0.5 ? trials - found : found;
}

}  // namespace opweave::plans
