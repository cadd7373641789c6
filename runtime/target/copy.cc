// Copies of bytes: which target does them, on which stream, and who waits.
#include "runtime/target/copy.h"

#include <cstring>
#include <vector>

#include "runtime/core/base/error.h"

namespace opweave {
namespace {

// Between the host and a device.
void copy_with_host(const CopyRequest& request, bool non_blocking) {
  const bool to_host = is_host(request.to_device);
  const Stream stream = current_stream(to_host ? request.from_device : request.to_device);
  const void* const on_host = to_host ? request.to : request.from;
  Target& target = stream.target();
  const DeviceGuard guard(stream.device());
  target.copy(request, stream.id());
  if (non_blocking && target.is_pinned(on_host)) {
    target.pinned_allocator()->record_stream(on_host, stream.device(), stream.id());
  } else {
    stream.synchronize();
  }
}

// On the stream of the source; that of the destination waits before and after.
void copy_within_target(const CopyRequest& request) {
  const Stream source = current_stream(request.from_device);
  const Stream destination = current_stream(request.to_device);
  source.wait(destination);
  {
    const DeviceGuard guard(source.device());
    source.target().copy(request, source.id());
  }
  destination.wait(source);
}

void copy_through_host(const CopyRequest& request) {
  std::vector<char> staged(request.nbytes);
  copy_with_host({staged.data(), host_device(), request.from, request.from_device, request.nbytes},
                 /*non_blocking=*/false);
  copy_with_host({request.to, request.to_device, staged.data(), host_device(), request.nbytes},
                 /*non_blocking=*/false);
}

}  // namespace

void copy_bytes(const CopyRequest& request, bool non_blocking) {
  if (request.nbytes == 0) return;
  const bool from_host = is_host(request.from_device), to_host = is_host(request.to_device);
  if (from_host && to_host) {
    std::memcpy(request.to, request.from, request.nbytes);
  } else if (from_host || to_host) {
    copy_with_host(request, non_blocking);
  } else if (request.from_device.type == request.to_device.type) {
    copy_within_target(request);
  } else {
    copy_through_host(request);
  }
}

void record_stream(const Tensor& tensor, const Stream& stream) {
  OW_CHECK(tensor.device().type == stream.device().type, "record_stream(): a tensor on ",
           tensor.device(), " is not used by a stream of ", stream.device());
  devices_of(tensor.device().type)
      .allocator()
      .record_stream(tensor.storage()->data(), stream.device(), stream.id());
}

bool is_pinned(const Tensor& tensor) {
  if (!tensor.in_host_memory()) return false;
  Target* accelerator = current_accelerator();
  return accelerator != nullptr && accelerator->is_pinned(tensor.storage()->data());
}

Storage allocate_pinned(size_t nbytes) {
  Target* accelerator = current_accelerator();
  Allocator* allocator = accelerator == nullptr ? nullptr : accelerator->pinned_allocator();
  OW_CHECK(allocator != nullptr, "Need to provide pin_memory allocator to use pin memory.");
  void* data = allocator->allocate(nbytes, host_device());
  return StorageImpl::wrap(data, nbytes, host_device(), [allocator, nbytes](void* p) {
    allocator->deallocate(p, nbytes, host_device());
  });
}

}  // namespace opweave
