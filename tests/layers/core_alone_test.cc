// A program of runtime/core and nothing above it: what core needs is in core. The devices are the
// test's own.
#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/core/tensor/tensor.h"

using namespace opweave;

namespace {

class Memory final : public Allocator {
 public:
  void* allocate(size_t nbytes, Device) override { return std::malloc(nbytes); }
  void deallocate(void* data, size_t, Device) noexcept override { std::free(data); }
  AllocatorStats stats(Device) const override { return {}; }
  void reset_peak_stats(Device) override {}
  void empty_cache() override {}
};

class TwoDevices final : public Devices {
 public:
  explicit TwoDevices(Memory& memory)
      : Devices(register_device_type("two"), Kind::kAccelerator, memory) {}
  int count() override { return 2; }
  int current() override { return 1; }
  void copy_within(void*, const void*, size_t, Device) override {}
};

}  // namespace

TEST_CASE("a tensor on devices that the program registers, and an error") {
  static auto* devices = new TwoDevices(*new Memory);
  register_devices(*devices);
  const Tensor tensor = make_tensor(DimVector{2, 3}, ScalarType::kFloat, Device(devices->type()));
  CHECK(tensor.numel() == 6);
  CHECK(str(tensor.device()) == "two:1");
  CHECK(str(tensor) == "tensor of shape [2, 3] and dtype float32");
  CHECK_THROWS_WITH_AS(tensor.data<int64_t>(), "expected scalar type Long but found Float", Error);
}

TEST_CASE("without a target there is no device") {
  CHECK_THROWS_WITH_AS(make_tensor(DimVector{2}, ScalarType::kFloat, Device(kCPU)),
                       "device type 'cpu' has no devices: its target is not loaded", Error);
}
