// Random numbers written in place, of distributions that are made of others: computed in float64,
// and rounded once.
#include <cmath>
#include <numbers>

#include "opweave/kernels/composite/cauchy_.h"
#include "opweave/kernels/composite/geometric_.h"
#include "opweave/kernels/composite/log_normal_.h"
#include "opweave/ops/add.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/ceil.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/div.h"
#include "opweave/ops/empty_like.h"
#include "opweave/ops/exp.h"
#include "opweave/ops/log.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/normal_.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/tan.h"
#include "opweave/ops/uniform_.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/random/random_numbers.h"
#include "runtime/core/tensor/dim_vector.h"

namespace opweave::composite {
namespace {

Tensor wide_like(const Tensor& self) { return opweave::empty_like(self, kDouble); }

// From 0 to below 1, drawn as PyTorch's CPU draws it: in the order of memory.
Tensor uniform(const Tensor& self, const std::optional<Generator>& generator) {
  Tensor drawn = wide_like(self);
  return opweave::uniform_(drawn, 0, 1, generator);
}

// Normal numbers are drawn in blocks where they lie in memory one after the other. Those of
// log_normal_ PyTorch draws singly: so they lie apart.
Tensor apart(const Tensor& self) {
  const Tensor dense = wide_like(self);
  if (is_batched(self)) return dense;
  DimVector strides(dense.strides());
  for (int64_t& stride : strides) stride *= 2;
  const Tensor room = opweave::new_empty(dense, IntList{2 * self.numel()});
  return opweave::as_strided(room, self.sizes(), strides, std::nullopt);
}

}  // namespace

Tensor& cauchy_(Tensor& self, double median, double sigma, std::optional<Generator> generator) {
  const Tensor turned =
      opweave::mul(opweave::sub(uniform(self, generator), Scalar(0.5)), Scalar(std::numbers::pi));
  const Tensor spread = opweave::mul(opweave::tan(turned), Scalar(sigma));
  return opweave::copy_(self, opweave::add(spread, Scalar(median)));
}

Tensor& log_normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  Tensor drawn = apart(self);
  opweave::normal_(drawn, mean, std, generator);
  return opweave::copy_(self, opweave::exp(drawn));
}

Tensor& geometric_(Tensor& self, double p, std::optional<Generator> generator) {
  const Tensor trials =
      opweave::ceil(opweave::div(opweave::log(uniform(self, generator)), Scalar(std::log1p(-p))));
  std::optional<Scalar> most;
  if (!is_floating(self.dtype())) most = Scalar(largest_counted(self.dtype()));
  return opweave::copy_(self, ops::clamp::call(trials, Scalar(1), most));
}

}  // namespace opweave::composite
