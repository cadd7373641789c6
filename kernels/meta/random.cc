// Random operators on tensors without data: their checks.
#include "runtime/rules/random.h"

#include "opweave/kernels/meta/bernoulli_.h"
#include "opweave/kernels/meta/exponential_.h"
#include "opweave/kernels/meta/normal_.h"
#include "opweave/kernels/meta/random_.h"
#include "opweave/kernels/meta/uniform_.h"

namespace opweave::meta {

Tensor& uniform_(Tensor& self, double from, double to, std::optional<Generator>) {
  check_uniform(self, from, to);
  return self;
}

Tensor& normal_(Tensor& self, double, double std, std::optional<Generator>) {
  check_normal(self, std);
  return self;
}

Tensor& exponential_(Tensor& self, double lambd, std::optional<Generator>) {
  check_exponential(self, lambd);
  return self;
}

Tensor& bernoulli__float(Tensor& self, double p, std::optional<Generator>) {
  check_probability(p);
  return self;
}

Tensor& bernoulli__Tensor(Tensor& self, const Tensor&, std::optional<Generator>) { return self; }

Tensor& random__from(Tensor& self, int64_t from, std::optional<int64_t> to,
                     std::optional<Generator>) {
  check_random_range(self.dtype(), from, to);
  return self;
}

}  // namespace opweave::meta
