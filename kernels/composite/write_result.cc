// In-place and out forms on top of the functional form.
#include "kernels/composite/write_result.h"

#include "kernels/composite/recording.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "runtime/autograd/view.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/rules/out_size.h"

namespace opweave {
namespace {

// A contiguous vector in another shape, which nobody differentiates.
Tensor reshaped(const Tensor& t, IntList sizes) {
  return make_alias(t, sizes, strides_for(sizes, MemoryFormat::kContiguous), t.storage_offset());
}

// What a kernel left out has no shape to compare.
void check_returned(std::string_view op, const Tensor& result) {
  OW_CHECK(result.defined(), op, "(): the kernel returned no tensor");
}

}  // namespace

Tensor copy_before_write(const Tensor& self) { return clone(without_view_hooks(self)); }

Tensor value_before_batched_write(const Tensor& self) {
  return is_batched(self) ? value_before_write(self) : self;
}

void write_inplace(std::string_view op, Tensor& self, const Tensor& result) {
  check_returned(op, result);
  check_out_dtype(op, result.dtype(), self.dtype(), OutDtype::kCast);
  OW_CHECK(same_sizes(self.sizes(), result.sizes()), op, "(): output with shape ", self.sizes(),
           " doesn't match the broadcast shape ", result.sizes());
  copy_(self, result);
}

void check_out_overlap(const Tensor& out, const Tensor& input) {
  if (!input.defined() || is_batched(input) || is_batched(out)) return;
  check_no_partial_overlap(out, input);
}

void check_inplace_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  OW_CHECK(!dtype || *dtype == self.dtype(), "Bad in-place call: input tensor dtype ",
           dtype_info(self.dtype()).spelled, " and output tensor dtype ",
           dtype_info(dtype.value_or(self.dtype())).spelled, " should match");
}

std::optional<ScalarType> as_of_out(std::optional<ScalarType> dtype, const Tensor& out,
                                    std::optional<ScalarType> otherwise) {
  OW_CHECK(!dtype || dtype == otherwise || *dtype == out.dtype(), "dtype ",
           dtype.value_or(out.dtype()), " does not match dtype of out parameter (", out.dtype(),
           ")");
  return out.dtype();
}

std::optional<Device> as_of_out(std::optional<Device> device, const Tensor& out) {
  const auto is_meant = [&](Device d) {
    return d.type == out.device().type && (d.index < 0 || d.index == out.device().index);
  };
  OW_CHECK(!device || is_meant(*device), "device ", device.value_or(out.device()),
           " does not match device of out parameter (", out.device(), ")");
  return out.device();
}

void write_out(std::string_view op, Tensor& out, const Tensor& result, OutDtype allowed) {
  check_returned(op, result);
  check_out_dtype(op, result.dtype(), out.dtype(), allowed);
  OW_CHECK(out.device() == result.device(), op, "(): expected the out tensor on device ",
           result.device(), " but got one on ", out.device());
  const bool dense = result.impl()->is_non_overlapping_and_dense();
  resize_out(out, result.sizes(), dense ? result.strides() : IntList());
  copy_(out, result);
}

void write_range(std::string_view op, Tensor& out, const Tensor& result) {
  check_returned(op, result);
  const bool fills = result.dim() == 1 && out.numel() == result.numel();
  write_out(op, out, fills ? reshaped(result, out.sizes()) : result, OutDtype::kCast);
}

}  // namespace opweave
