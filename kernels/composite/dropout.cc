// Dropout of elements and of whole channels, by zeros or by the limit of selu.
#include "opweave/kernels/composite/dropout.h"

#include <cmath>

#include "opweave/kernels/composite/alpha_dropout.h"
#include "opweave/kernels/composite/alpha_dropout_.h"
#include "opweave/kernels/composite/dropout_.h"
#include "opweave/kernels/composite/feature_alpha_dropout.h"
#include "opweave/kernels/composite/feature_alpha_dropout_.h"
#include "opweave/kernels/composite/feature_dropout.h"
#include "opweave/kernels/composite/feature_dropout_.h"
#include "opweave/ops/add.h"
#include "opweave/ops/bernoulli_.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/native_dropout.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/new_ones.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/zero_.h"

namespace opweave::composite {
namespace {

// Whether the call gives back its input as it is.
bool keeps_all(const Tensor& input, double p, bool train) {
  OW_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  return !train || p == 0 || input.numel() == 0;
}

// Sizes that broadcast over channels: [N, C, 1, ...].
DimVector channel_sizes(const Tensor& input) {
  OW_CHECK(input.dim() >= 2,
           "Feature dropout requires at least 2 dimensions in the input, but got ", input.dim());
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return sizes;
}

// 1 / (1 - p) for the channels that stay, 0 for the others: with examples where the input has
// them, which draw for themselves.
Tensor channel_factors(const Tensor& input, double p) {
  return std::get<0>(
      opweave::native_dropout(opweave::new_ones(input, channel_sizes(input)), p, true));
}

// a x + b keeps mean and variance where what is dropped becomes the negative limit of selu
// (Klambauer et al., "Self-Normalizing Neural Networks", 2017).
struct Affine {
  Tensor a, b;

  // `noise` is where it is drawn.
  Affine(const Tensor& input, Tensor noise, double p) {
    OW_CHECK_NOT_IMPLEMENTED(is_floating(input.dtype()),
                             "alpha_dropout(): not implemented for dtype ", input.dtype(),
                             "; expected floating point");
    constexpr double kLimit = 1.7580993408473766;
    const double scale = 1 / std::sqrt((kLimit * kLimit * p + 1) * (1 - p));
    const Tensor kept = ops::bernoulli__float::call(noise, 1 - p, std::nullopt);
    b = opweave::add(opweave::mul(opweave::add(kept, Scalar(-1)), Scalar(kLimit * scale)),
                     Scalar(kLimit * scale * p));
    a = opweave::mul(kept, Scalar(scale));
  }
};

Affine by_element(const Tensor& input, double p) { return {input, opweave::empty_like(input), p}; }
Affine by_channel(const Tensor& input, double p) {
  return {input, opweave::new_empty(input, channel_sizes(input)), p};
}

Tensor alpha_dropped(const Tensor& input, double p, Affine (*affine)(const Tensor&, double)) {
  if (p == 1) return opweave::mul(input, Scalar(false));  // draws nothing
  const auto [a, b] = affine(input, p);
  return opweave::add(opweave::mul(input, a), b);
}

Tensor& alpha_drop(Tensor& self, double p, Affine (*affine)(const Tensor&, double)) {
  if (p == 1) return opweave::zero_(self);
  const auto [a, b] = affine(self, p);
  opweave::mul_(self, a);
  return opweave::add_(self, b);
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  if (keeps_all(input, p, train)) return input;
  if (p == 1) return opweave::mul(input, Scalar(false));  // draws nothing, and stays of its dtype
  return std::get<0>(opweave::native_dropout(input, p, train));
}
Tensor& dropout_(Tensor& self, double p, bool train) {
  if (keeps_all(self, p, train)) return self;
  if (p == 1) return opweave::zero_(self);
  const Tensor ones = opweave::ones_like(self);  // drawn in the order of memory
  return opweave::mul_(self, std::get<0>(opweave::native_dropout(ones, p, train)));
}

Tensor feature_dropout(const Tensor& input, double p, bool train) {
  if (keeps_all(input, p, train)) return input;
  if (p == 1) return opweave::mul(input, Scalar(false));
  return opweave::mul(input, channel_factors(input, p));
}
Tensor& feature_dropout_(Tensor& self, double p, bool train) {
  if (keeps_all(self, p, train)) return self;
  if (p == 1) return opweave::zero_(self);
  return opweave::mul_(self, channel_factors(self, p));
}

Tensor alpha_dropout(const Tensor& input, double p, bool train) {
  return keeps_all(input, p, train) ? input : alpha_dropped(input, p, by_element);
}
Tensor& alpha_dropout_(Tensor& self, double p, bool train) {
  return keeps_all(self, p, train) ? self : alpha_drop(self, p, by_element);
}
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  return keeps_all(input, p, train) ? input : alpha_dropped(input, p, by_channel);
}
Tensor& feature_alpha_dropout_(Tensor& self, double p, bool train) {
  return keeps_all(self, p, train) ? self : alpha_drop(self, p, by_channel);
}

}  // namespace opweave::composite
