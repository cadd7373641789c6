// Copies to pinned memory and back, on a stream of their own.
#include "runtime/distributed/backends/groups/staging.h"

#include <algorithm>

#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/target/copy.h"

namespace opweave::distributed {
namespace {

Device device_of(const Collective& collective) {
  return (collective.inputs.empty() ? collective.outputs : collective.inputs)[0].device();
}

// Pinned where the target can.
Tensor host_tensor(const Tensor& like) {
  Allocator* pinned = target_of(like.device().type).pinned_allocator();
  if (pinned == nullptr || like.nbytes() == 0)
    return make_tensor(like.sizes(), like.dtype(), host_device());
  const size_t nbytes = like.nbytes();
  auto storage = StorageImpl::wrap(
      pinned->allocate(nbytes, host_device()), nbytes, host_device(),
      [pinned, nbytes](void* data) { pinned->deallocate(data, nbytes, host_device()); });
  return Tensor(
      make_intrusive<TensorImpl>(std::move(storage), like.dtype(), host_device(), like.sizes()));
}

void copy(const Tensor& to, const Tensor& from) {
  copy_bytes({to.raw_data(), to.device(), from.raw_data(), from.device(), from.nbytes()},
             /*non_blocking=*/true);
}

// Whether what it writes is what it reads.
bool is_in_place(CollectiveKind kind) { return record_of(kind).outputs == Count::any; }

}  // namespace

bool can_stage(Device device) {
  const Target* target = find_target(device.type);
  return target != nullptr && target->kind() == Devices::Kind::kAccelerator;
}

Staging::Staging(const Collective& collective)
    : collective_(collective),
      stream_(Stream::make(device_of(collective))),
      ready_(stream_.device()) {
  ready_.record();
}

Tensor Staging::on_host(const Tensor& tensor, bool is_read) {
  const auto same = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& one) {
    return tensor.nbytes() > 0 && one.on_device.raw_data() == tensor.raw_data() &&
           one.on_device.nbytes() == tensor.nbytes();
  });
  if (same != copies_.end()) return same->on_host;
  copies_.push_back({tensor, host_tensor(tensor)});
  const Tensor& host = copies_.back().on_host;
  if (is_read) {
    copy(host, tensor);
    nbytes_ += tensor.nbytes();
  }
  return host;
}

std::vector<Tensor> Staging::on_host(const std::vector<Tensor>& list, bool are_read) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : list) result.push_back(on_host(tensor, are_read));
  return result;
}

Collective Staging::to_host() {
  const StreamGuard guard(stream_);
  ready_.block(stream_);
  Collective host = collective_;
  host.inputs = on_host(collective_.inputs, true);
  host.outputs = on_host(collective_.outputs, is_in_place(collective_.kind));
  stream_.synchronize();
  return host;
}

void Staging::bring_back() {
  const StreamGuard guard(stream_);
  for (const Tensor& tensor : collective_.outputs) {
    copy(tensor, on_host(tensor, false));
    nbytes_ += tensor.nbytes();
  }
  stream_.synchronize();
}

}  // namespace opweave::distributed
