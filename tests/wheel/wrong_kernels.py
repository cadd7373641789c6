"""Kernels whose bodies the tests fill in, most of them wrongly."""

# Of elements, from `in` to `to`.
KERNEL = """\
#include <chrono>
#include <thread>
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/{name}.h"
#include "opweave/ops/contiguous.h"
namespace opweave::cpu {{
void {name}(const Tensor& self, Tensor& out) {{
  const Tensor x = opweave::contiguous(self);
  visit_floating("{name}", self.dtype(), [&]<class T>(TypeTag<T>) {{
    const T* in = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    const int64_t n = out.numel();
    {body}
  }});
}}
}}  // namespace opweave::cpu
"""
EACH = "for (int64_t i = 0; i < n; ++i) to[i] = {}; (void)n;"
# Of other arguments as well; for bodies such as `SCALED`.
BESIDE_KERNEL = """\
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/{name}.h"
#include "opweave/ops/contiguous.h"
namespace opweave::cpu {{
void {name}(const Tensor& self{parameters}, Tensor& out) {{
  const Tensor x = opweave::contiguous(self);
  visit_floating("{name}", self.dtype(), [&]<class T>(TypeTag<T>) {{
    const T* in = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    {body}
  }});
}}
}}  // namespace opweave::cpu
"""
SCALED = "for (int64_t i = 0; i < out.numel(); ++i) to[i] = static_cast<T>(in[i] * T({}));"
