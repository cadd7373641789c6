// Operators of counters.
#include "opweave/kernels/composite/counted.h"
#include "opweave/kernels/composite/new_counter.h"
#include "opweave/kernels/cpu/count_elements.h"
#include "opweave/kernels/cpu/tick.h"
#include "opweave/ops/clone.h"

namespace opweave::composite {

counting::Counter new_counter(int64_t start) {
  counting::Counter counter;
  *counter.count = start;
  return counter;
}

int64_t counted(counting::Counter counter) { return *counter.count; }

}  // namespace opweave::composite

namespace opweave::cpu {

counting::Counter tick(counting::Counter counter, const Tensor& /*self*/, int64_t by) {
  *counter.count += by;
  return counter;
}

std::tuple<Tensor, counting::Counter> count_elements(const Tensor& self,
                                                     std::optional<counting::Counter> counter) {
  counting::Counter result = counter.value_or(counting::Counter());
  *result.count += self.numel();
  return {opweave::clone(self), result};
}

}  // namespace opweave::cpu
