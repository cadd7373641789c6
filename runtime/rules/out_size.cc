// Resizing `out`, with a warning.
#include "runtime/rules/out_size.h"

#include <atomic>

#include "runtime/core/base/str.h"

namespace opweave {
namespace {

std::atomic<WarningHandler> warning_handler = nullptr;

}  // namespace

void set_warning_handler(WarningHandler handler) { warning_handler = handler; }

void warn_program(std::string_view text) {
  const WarningHandler warn = warning_handler;
  if (warn != nullptr) warn(text);
}

bool resize_out(Tensor& out, IntList sizes) {
  if (same_sizes(out.sizes(), sizes)) return false;
  if (out.numel() != 0)
    warn_program(
        str("An output with one or more elements was resized since it had shape ", out.sizes(),
            ", which does not match the required output shape ", sizes,
            ". This behavior is deprecated, and in a future release outputs will not be resized "
            "unless they have zero elements. You can explicitly reuse an out tensor t by resizing "
            "it, inplace, to zero elements with t.resize_(0)."));
  resize_tensor(out, sizes);
  return true;
}

void resize_out(Tensor& out, IntList sizes, IntList strides) {
  if (!resize_out(out, sizes) || strides.empty()) return;
  TensorImpl& impl = *out.impl();
  impl.set_geometry(DimVector(out.sizes()), strides, impl.storage_offset());
}

}  // namespace opweave
