// Staging: a collective of a device's tensors on a backend that takes those of the host alone,
// through pinned memory.
#pragma once

#include "runtime/distributed/group/collective.h"
#include "runtime/target/event.h"

namespace opweave::distributed {

// Whether a device's tensors can be carried this way: it is an accelerator.
bool can_stage(Device device);

class Staging {
 public:
  // Where the caller's stream is now: the tensors are ready there.
  explicit Staging(const Collective& collective);

  // The same collective of tensors in host memory, with what the backend reads. Waits for it.
  Collective to_host();
  // What it has written, to where it belongs. Waits until it is there.
  void bring_back();
  size_t nbytes() const { return nbytes_; }  // copied so far, there and back

 private:
  struct Copy {
    Tensor on_device, on_host;
  };
  Tensor on_host(const Tensor& on_device, bool is_read);
  std::vector<Tensor> on_host(const std::vector<Tensor>& list, bool are_read);

  const Collective& collective_;
  const Stream stream_;
  opweave::Event ready_;
  std::vector<Copy> copies_;
  size_t nbytes_ = 0;
};

}  // namespace opweave::distributed
