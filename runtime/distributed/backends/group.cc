// Calls of collectives on their way to a backend.
#include "runtime/distributed/backends/group.h"

#include <unistd.h>

#include "runtime/core/error.h"
#include "runtime/distributed/backends/checks.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {

Group::Group(const BackendContext& context, std::shared_ptr<Backend> backend)
    : context_(context), process_(getpid()), backend_(std::move(backend)) {
  for (auto& worker : workers_)
    worker = std::make_unique<Worker>([this](const Collective& c) { return run(c); });
}

Group::~Group() {
  if (!is_own()) {  // their destructors would wait for threads that are not there
    for (auto& worker : workers_) worker.release();
    new std::shared_ptr<Backend>(std::move(backend_));
    return;
  }
  backend_->leave();
  for (auto& worker : workers_) worker.reset();
}

bool Group::is_own() const { return getpid() == process_; }

void Group::abort(const std::string& reason) {
  if (is_own()) backend_->abort(reason);
}

void Group::leave() {
  if (is_own()) backend_->leave();
}

Group::Lane Group::lane_of(CollectiveKind kind) {
  if (kind == CollectiveKind::kSend) return kSending;
  return kind == CollectiveKind::kRecv ? kReceiving : kTogether;
}

WorkPtr Group::start(Collective collective) {
  OW_CHECK(is_own(), name_of(collective.kind), "(): the group '", name(), "' was made by process ",
           process_, ", from which this one was forked; make a group of its own");
  check_collective(collective, *this);
  const auto& tensors = collective.inputs.empty() ? collective.outputs : collective.inputs;
  OW_CHECK(tensors.empty() || backend_->takes(tensors[0].device()), name_of(collective.kind),
           "(): the backend '", backend_->name(), "' of the group '", name(),
           "' takes no tensors on ", tensors.empty() ? Device() : tensors[0].device());
  // As operators do that write: what autograd has saved of it is no longer there.
  for (const Tensor& t : collective.outputs)
    t.impl()->version().bump(name_of(collective.kind).data());
  const Lane lane = lane_of(collective.kind);
  std::shared_ptr<QueuedWork> work;
  {
    const std::lock_guard lock(mutex_);
    collective.sequence = called_[lane]++;
    work = std::make_shared<QueuedWork>(std::move(collective));
  }
  workers_[lane]->start(work);
  return work;
}

int Group::run(const Collective& collective) {
  const auto timeout = collective.timeout.value_or(context_.timeout);
  return backend_->run(collective, Deadline::after(timeout));
}

}  // namespace opweave::distributed
