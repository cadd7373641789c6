// The smallest target: devices whose memory is the heap, and kernels for copies and for one
// operator. Nothing else in the repository knows its name.
#include <cstdlib>
#include <cstring>

#include "opweave/ops/copy_.h"
#include "opweave/ops/neg.h"
#include "runtime/core/allocator.h"
#include "runtime/core/error.h"
#include "runtime/dispatch/operator.h"

namespace opweave {
namespace {

DeviceType heap_type() {
  static const DeviceType type = register_device_type("heap");
  return type;
}

class HeapAllocator final : public Allocator {
 public:
  void* allocate(size_t nbytes, Device) override {
    stats_.allocations += 1;
    stats_.allocated_bytes += static_cast<int64_t>(nbytes);
    return std::aligned_alloc(64, (nbytes + 63) / 64 * 64);
  }
  void deallocate(void* data, size_t nbytes, Device) noexcept override {
    stats_.allocated_bytes -= static_cast<int64_t>(nbytes);
    std::free(data);
  }
  AllocatorStats stats(Device) const override { return stats_; }
  void reset_peak_stats(Device) override {}
  void empty_cache() override {}

 private:
  AllocatorStats stats_;
};

Tensor& copy_kernel(Tensor& self, const Tensor& src, bool /*non_blocking*/) {
  OW_CHECK(self.is_contiguous() && src.is_contiguous() && self.dtype() == src.dtype() &&
               self.numel() == src.numel(),
           "copy_(): the heap target copies dense tensors of one dtype");
  std::memcpy(self.raw_data(), src.raw_data(), self.nbytes());
  return self;
}

Tensor neg_kernel(const Tensor& self) {
  OW_CHECK(self.is_contiguous() && self.dtype() == kFloat,
           "neg(): the heap target knows dense float32 tensors");
  Tensor result = make_tensor(self.sizes(), kFloat, self.device());
  const auto* from = static_cast<const float*>(self.raw_data());
  auto* to = static_cast<float*>(result.raw_data());
  for (int64_t i = 0; i < self.numel(); ++i) to[i] = -from[i];
  return result;
}

}  // namespace
}  // namespace opweave

extern "C" {

void opweave_register_target() {
  using namespace opweave;  // NOLINT
  static auto* allocator = new HeapAllocator;
  set_allocator(heap_type(), allocator);
  const DispatchKey key = backend_key(heap_type());
  ops::copy_::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&copy_kernel));
  ops::neg::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&neg_kernel));
}

const char* opweave_target_name() { return "heap"; }
int opweave_target_device_count() { return 2; }
void opweave_target_synchronize(int /*index*/) {}

}  // extern "C"
