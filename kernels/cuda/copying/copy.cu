// copy_ to, from and between CUDA tensors.
#include "kernels/cuda/device.h"
#include "kernels/cuda/pointwise/begin.h"
#include "opweave/kernels/cuda.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "runtime/target/copy.h"

namespace opweave::cuda {
namespace {

struct CopyExpression {
  template <class D, class V>
  static OW_POINTWISE V apply(D, V value) {
    return value;
  }
};

const PointwiseLoops& copy_loops() {
  static const PointwiseLoops loops = make_loops<CopyExpression, 1, 0, dtypes::kReal, false>();
  return loops;
}

// Complex elements are copied as words of their size.
void move_words(PointwisePlan& plan, const Tensor& self, const Tensor& src) {
  OW_CHECK_NOT_IMPLEMENTED(self.dtype() == src.dtype(), "copy_(): conversion from ", src.dtype(),
                           " to ", self.dtype(), " is not implemented on CUDA");
  static_assert(element_size(kComplexFloat) == element_size(kLong));
  plan.operands[0].dtype = plan.operands[1].dtype = plan.common = kLong;
}

void copy_on_device(Tensor& self, const Tensor& src) {
  PointwisePlan plan;
  plan_copy(self, src, plan);
  if (is_complex(self.dtype()) || is_complex(src.dtype())) move_words(plan, self, src);
  launch_pointwise("copy_", copy_loops(), plan, self.device(), {});
}

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  const Tensor source =
      same_sizes(self.sizes(), src.sizes()) ? src : opweave::expand(src, self.sizes());
  if (self.numel() == 0) return self;
  if (self.device() == source.device()) {
    copy_on_device(self, source);
  } else {
    copy_across(self, source, non_blocking, [](Tensor& to, const Tensor& from, bool later) {
      opweave::copy_(to, from, later);
    });
  }
  return self;
}

}  // namespace opweave::cuda
