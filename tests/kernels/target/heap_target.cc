// The smallest target: a few kernels that run later, on the streams of its devices; and, for tests
// that need whole networks, the CPU's kernels for everything else.
#include <chrono>
#include <cstring>
#include <thread>

#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/neg.h"
#include "runtime/core/base/error.h"
#include "runtime/dispatch/operator.h"
#include "runtime/target/copy.h"
#include "tests/kernels/target/heap_device.h"
#include "tests/kernels/target/host_fallback.h"

namespace opweave::heap {
namespace {

Tensor& copy_kernel(Tensor& self, const Tensor& src, bool non_blocking) {
  if (self.device() == src.device()) {
    if (self.is_contiguous() && src.is_contiguous() && self.dtype() == src.dtype() &&
        same_sizes(self.sizes(), src.sizes())) {
      target().copy_within(self.raw_data(), src.raw_data(), self.nbytes(), self.device());
    } else {
      run_on_host(ops::copy_::entry, self, src, non_blocking);
    }
    return self;
  }
  const Tensor source =
      same_sizes(self.sizes(), src.sizes()) ? src : opweave::expand(src, self.sizes());
  copy_across(self, source, non_blocking, &ops::copy_::call);
  return self;
}

Tensor neg_kernel(const Tensor& self) {
  if (!self.is_contiguous() || self.dtype() != kFloat) {
    Stack stack{IValue(self)};
    run_on_host(ops::neg::entry, stack);
    return stack[0].to_tensor();
  }
  Tensor result = make_tensor(self.sizes(), kFloat, self.device());
  enqueue(current_stream(self.device()),
          [from = static_cast<const float*>(self.raw_data()),
           to = static_cast<float*>(result.raw_data()), n = self.numel()] {
            for (int64_t i = 0; i < n; ++i) to[i] = -from[i];
          });
  return result;
}

}  // namespace
}  // namespace opweave::heap

extern "C" {

opweave::Target* opweave_register_target() {
  using namespace opweave;  // NOLINT
  Target& target = heap::target();
  register_target(target);
  const DispatchKey key = backend_key(target.type());
  ops::copy_::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&heap::copy_kernel));
  ops::neg::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&heap::neg_kernel));
  return &target;
}

// For the tests in Python: all operators, and work that takes its time.
void heap_target_run_everything() { opweave::heap::serve_all_operators(); }
int heap_target_urgent_streams() { return opweave::heap::urgent_streams(); }
void heap_target_capture(bool captures) { opweave::heap::set_capturing(captures); }
void heap_target_sleep(int index, int64_t stream, int milliseconds) {
  const opweave::Device device(opweave::heap::target().type(), static_cast<int8_t>(index));
  opweave::heap::enqueue({device, stream}, [milliseconds] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  });
}

}  // extern "C"
