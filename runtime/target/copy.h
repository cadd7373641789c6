// Copies of bytes between any two devices, pinned host memory, and tensors used on other streams.
#pragma once

#include "runtime/core/tensor/tensor.h"
#include "runtime/target/stream.h"

namespace opweave {

// In order with the calling thread's work on both devices. Unless `non_blocking` and the host
// memory is pinned, what the host gets is there when this returns, and what it gave may be reused.
void copy_bytes(const CopyRequest& request, bool non_blocking = false);

// Says that work on `stream` uses the memory of a tensor, other than the stream on which it was
// allocated: once freed, it is handed out again only when that work is done.
void record_stream(const Tensor& tensor, const Stream& stream);

// Whether a tensor's memory is host memory that an accelerator's copies reach without the host.
bool is_pinned(const Tensor& tensor);
// New pinned memory of the current accelerator. RuntimeError when there is none, or it has none.
Storage allocate_pinned(size_t nbytes);

// copy_ between two devices for a target's kernel: dense copies on either side where needed, bytes
// in between. `copy` is the operator copy_.
template <class Copy>
void copy_across(Tensor& self, const Tensor& src, bool non_blocking, Copy copy) {
  const auto dense_on = [&](Device device, ScalarType dtype) {
    return make_tensor(self.sizes(), dtype, device);
  };
  Tensor from = src;
  if (!from.is_contiguous()) {
    from = dense_on(src.device(), src.dtype());
    copy(from, src, false);
  }
  const bool straight = self.is_contiguous() && self.dtype() == from.dtype();
  Tensor landed = straight ? self : dense_on(self.device(), from.dtype());
  copy_bytes({landed.raw_data(), landed.device(), from.raw_data(), from.device(), landed.nbytes()},
             non_blocking && straight && from.is_same(src));
  if (!straight) copy(self, landed, false);
}

}  // namespace opweave
