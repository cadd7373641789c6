#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/both_ends.h"
#include "opweave/kernels/cpu/moments.h"
#include "opweave/kernels/cpu/signs.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {

void moments(const Tensor& self, int64_t dim, Tensor& mean, Tensor& energy) {
  const Tensor in = opweave::contiguous(self);
  if (dim < 0) dim += in.dim();
  int64_t inner = 1;
  for (int64_t d = dim + 1; d < in.dim(); ++d) inner *= in.size(d);
  const int64_t length = in.size(dim);
  visit_float_double("moments", in.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < mean.numel(); ++i) {
      const T* from = static_cast<const T*>(in.raw_data()) + i / inner * length * inner + i % inner;
      T sum = 0, squares = 0;
      for (int64_t k = 0; k < length; ++k) {
        sum += from[k * inner];
        squares += from[k * inner] * from[k * inner];
      }
      static_cast<T*>(mean.raw_data())[i] = sum / static_cast<T>(length);
      static_cast<T*>(energy.raw_data())[i] = squares;
    }
  });
}

void both_ends(const Tensor& self, Tensor& first, Tensor& last) {
  const Tensor in = opweave::contiguous(self);
  visit_float_double("both_ends", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    *static_cast<T*>(first.raw_data()) = from[0];
    *static_cast<T*>(last.raw_data()) = from[in.numel() - 1];
  });
}

void signs(const Tensor& self, Tensor& plus, Tensor& minus) {
  const Tensor in = opweave::contiguous(self);
  visit_float_double("signs", in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    for (int64_t i = 0; i < in.numel(); ++i) {
      static_cast<T*>(plus.raw_data())[i] = from[i];
      static_cast<T*>(minus.raw_data())[i] = -from[i];
    }
  });
}

}  // namespace opweave::cpu
