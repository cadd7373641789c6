// What one step of an optimizer is computed with: the numbers of the step, the same for all
// elements.
#pragma once

namespace opweave::plans {

// What stands before the rule of an optimizer: g = (maximize ? -g : g) + decay p, then p = shrink
// p. Without decay nothing of the parameter is added: an infinite one would make the gradient NaN.
struct Before {
  double decay = 0, shrink = 1;
  bool maximize = false;
};

struct SgdRule {
  Before before;
  double rate, momentum, dampening;
  bool nesterov, first;  // the first step: there is nothing in the buffer yet
};
struct AdamRule {
  Before before;
  double rate, beta1, beta2, scale, eps;  // p -= rate m / (sqrt(v) scale + eps)
  bool amsgrad;
};
struct AdagradRule {
  Before before;
  double rate, eps;
};
struct AdadeltaRule {
  Before before;
  double rate, rho, eps;
};
struct AdamaxRule {
  Before before;
  double rate, beta1, beta2, eps;
};
// NAdam and RAdam: p -= gradient_rate g / d + mean_rate m / d, where d = sqrt(v) scale + eps; of
// RAdam's first steps d is 1.
struct MomentsRule {
  Before before;
  double beta1, beta2, gradient_rate, mean_rate, scale, eps;
  bool divides = true;
};
struct RmspropRule {
  Before before;
  double rate, alpha, eps, momentum;
  bool centered;
};
struct RpropRule {
  Before before;
  double shrinks, grows, least, most;
};
struct AsgdRule {
  Before before;
  double rate, average;
};

}  // namespace opweave::plans
