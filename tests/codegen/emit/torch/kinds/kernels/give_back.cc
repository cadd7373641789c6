// Kernels that give back what they write.
#include <utility>

#include "../../../kinds/kernels/kinds.h"
#include "opweave/kernels/cpu/exchange_.h"
#include "opweave/kernels/cpu/scale_.h"

namespace opweave::cpu {
namespace {

// f(element, number of it) for each element, however the tensor lies in memory.
template <class T, class F>
void each_place(const Tensor& tensor, const F& f) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    int64_t left = i, at = 0;
    for (int64_t d = tensor.dim() - 1; d >= 0; --d) {
      at += left % tensor.size(d) * tensor.stride(d);
      left /= tensor.size(d);
    }
    f(static_cast<T*>(tensor.raw_data())[at], i);
  }
}

}  // namespace

Tensor& scale_(Tensor& self, double by) {
  visit_floating("scale_", self.dtype(), [&]<class T>(TypeTag<T>) {
    each_place<T>(self,
                  [&](T& element, int64_t) { element = static_cast<T>(number(element) * by); });
  });
  return self;
}

Tensor& exchange_(Tensor& self, Tensor& other) {
  visit_floating("exchange_", self.dtype(), [&]<class T>(TypeTag<T>) {
    std::vector<T> before(static_cast<size_t>(self.numel()));
    each_place<T>(self, [&](const T& element, int64_t i) { before[i] = element; });
    std::vector<T> wanted(before.size());
    each_place<T>(other,
                  [&](T& element, int64_t i) { wanted[i] = std::exchange(element, before[i]); });
    each_place<T>(self, [&](T& element, int64_t i) { element = wanted[i]; });
  });
  return self;
}

}  // namespace opweave::cpu
