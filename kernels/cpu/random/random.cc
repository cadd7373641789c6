// Random in-place operators: arguments, then dense memory filled by kernels/cpu/random.
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/random/fill.h"
#include "opweave/kernels/cpu/bernoulli_.h"
#include "opweave/kernels/cpu/exponential_.h"
#include "opweave/kernels/cpu/normal_.h"
#include "opweave/kernels/cpu/random_.h"
#include "opweave/kernels/cpu/uniform_.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {
namespace {

const Generator& generator_or_default(const std::optional<Generator>& generator) {
  if (!generator || !*generator) return default_generator(kCPU);
  OW_CHECK((*generator)->device().type == kCPU,
           "Expected a 'cpu' device type for generator but found '", (*generator)->device(), "'");
  return *generator;
}

// Elements are counted in row-major order, so that strides change nothing about the numbers.
template <class Fill>
Tensor& fill_tensor(Tensor& self, Fill fill) {
  check_no_internal_overlap(self);
  if (self.is_contiguous()) {
    fill(self.raw_data());
    return self;
  }
  const Tensor dense = make_tensor(self.sizes(), self.dtype(), self.device());
  fill(dense.raw_data());
  copy_elements(self, dense);
  return self;
}

Tensor probabilities_of(const Tensor& p, IntList sizes) {
  Tensor values = make_tensor(sizes, kDouble, kCPU);
  copy_elements(values, p);
  const auto* data = static_cast<const double*>(values.raw_data());
  for (int64_t i = 0; i < values.numel(); ++i) {
    OW_CHECK(data[i] >= 0 && data[i] <= 1,
             "bernoulli expects p to be in [0, 1], but got p=", data[i]);
  }
  return values;
}

}  // namespace

Tensor& uniform_(Tensor& self, double from, double to, std::optional<Generator> generator) {
  return fill_tensor(self, [&](void* out) {
    fill_uniform(out, self.dtype(), self.numel(), from, to, generator_or_default(generator));
  });
}

Tensor& normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  return fill_tensor(self, [&](void* out) {
    fill_normal(out, self.dtype(), self.numel(), mean, std, generator_or_default(generator));
  });
}

Tensor& exponential_(Tensor& self, double lambd, std::optional<Generator> generator) {
  return fill_tensor(self, [&](void* out) {
    fill_exponential(out, self.dtype(), self.numel(), lambd, generator_or_default(generator));
  });
}

Tensor& bernoulli__float(Tensor& self, double p, std::optional<Generator> generator) {
  return fill_tensor(self, [&](void* out) {
    fill_bernoulli(out, self.dtype(), self.numel(), p, nullptr, generator_or_default(generator));
  });
}

Tensor& bernoulli__Tensor(Tensor& self, const Tensor& p, std::optional<Generator> generator) {
  const Tensor each = probabilities_of(p, self.sizes());
  return fill_tensor(self, [&](void* out) {
    fill_bernoulli(out, self.dtype(), self.numel(), 0, static_cast<const double*>(each.raw_data()),
                   generator_or_default(generator));
  });
}

Tensor& random__from(Tensor& self, int64_t from, std::optional<int64_t> to,
                     std::optional<Generator> generator) {
  // How many there are; 0 stands for 2^64.
  const int64_t last = to ? *to - 1 : largest_counted(self.dtype());
  const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  return fill_tensor(self, [&](void* out) {
    fill_integers(out, self.dtype(), self.numel(), from, range, generator_or_default(generator));
  });
}

}  // namespace opweave::cpu
