// Handwritten kernels for single hardware targets: what stands around them, and what runs in their
// place where tensors have no data.
#pragma once

#include <cstdint>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// What has to be done before or behind the kernel.
enum class KernelAdapter : uint8_t {
  none,
  fills,       // its rule makes the results, which it fills
  checked,     // its rule says what a call requires
  one_device,  // nothing says what a call requires: tensors have to be on one device
  returns,     // it makes its results itself, which are new tensors
};

// A call without data.
enum class MetaWay : uint8_t {
  none,        // refused, unless `kernels` names a function for it
  rule,        // the rule says all that the call gives
  needs_data,  // refused by name: the elements decide what results look like
};

struct HardwareKernel {
  // A function checks what a call requires and says what its results look like.
  bool has_rule = false;
  KernelAdapter adapter = KernelAdapter::none;
  MetaWay meta = MetaWay::none;
  // Conditions ask on which devices tensors are: the adapter refuses no mixture of them itself.
  bool knows_devices = false;
  // What is read of one place is written to another: no argument that is written may lie in what is
  // read.
  bool moves_elements = false;
  // The kernel fills `out` of the derived out form as well, which may have another dtype.
  bool fills_out = false;
  bool computes_as_out = false;
  OutDtype out_dtype = OutDtype::same;
};

HardwareKernel lower_hardware_kernel(const Operator& op);

}  // namespace opweave::codegen
