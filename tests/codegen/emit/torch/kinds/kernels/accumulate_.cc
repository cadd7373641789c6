// A kernel that writes an argument.
#include "opweave/kernels/cpu/accumulate_.h"

#include "../../../kinds/kernels/kinds.h"

namespace opweave::cpu {

void accumulate_(Tensor& total, const Tensor& value, const Tensor& scale) {
  const Tensor scales = scale.defined() ? contiguous(scale) : Tensor();
  const int64_t rows = total.dim() == 0 ? 1 : total.numel() / total.size(-1);
  const int64_t length = total.dim() == 0 ? 1 : total.size(-1);
  each("accumulate_", value, [&]<class T>(const T* in, int64_t i) {
    T* to = static_cast<T*>(total.raw_data());
    const double factor =
        scales.defined() ? static_cast<double>(*static_cast<const T*>(scales.raw_data())) : 1.0;
    // The last dimension may be strided, and rows lie one after the other.
    const int64_t row = i / length, column = i % length;
    const int64_t step = total.dim() == 0 ? 1 : total.stride(-1);
    const int64_t line = rows > 1 ? total.stride(0) : 0;
    T& element = to[row * line + column * step];
    element = static_cast<T>(static_cast<double>(element) + factor * static_cast<double>(in[i]));
  });
}

}  // namespace opweave::cpu
