// Kernels for the CPU.
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/squared_.h"
#include "opweave/kernels/cpu/thrice.h"
#include "opweave/kernels/cpu/twice.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {
namespace {

void times(const char* name, const Tensor& self, int factor, Tensor& out) {
  const Tensor in = opweave::contiguous(self);
  visit_floating(name, in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    for (int64_t i = 0; i < out.numel(); ++i)
      to[i] = static_cast<T>(static_cast<double>(from[i]) * factor);
  });
}

}  // namespace

void twice(const Tensor& self, Tensor& out) { times("twice", self, 2, out); }
void thrice(const Tensor& self, Tensor& out) { times("thrice", self, 3, out); }

Tensor& squared_(Tensor& self) {
  visit_floating("squared_", self.dtype(), [&]<class T>(TypeTag<T>) {
    T* data = static_cast<T*>(self.raw_data());
    for (int64_t i = 0; i < self.numel(); ++i) {
      const double value = static_cast<double>(data[i]);
      data[i] = static_cast<T>(value * value);
    }
  });
  return self;
}

}  // namespace opweave::cpu
