// Calls of collectives on their way to a backend.
#include "runtime/distributed/backends/group.h"

#include <unistd.h>

#include "runtime/core/error.h"
#include "runtime/core/str.h"
#include "runtime/distributed/backends/checks.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {

Group::Group(const BackendContext& context, std::vector<Route> routes)
    : context_(context), process_(getpid()), routes_(std::move(routes)) {
  for (auto& worker : workers_)
    worker = std::make_unique<Worker>([this](const Collective& c) { return run(c); });
}

Group::~Group() {
  if (!is_own()) {  // their destructors would wait for threads that are not there
    for (auto& worker : workers_) worker.release();
    new std::vector<Route>(std::move(routes_));
    return;
  }
  leave();
  for (auto& worker : workers_) worker.reset();
}

bool Group::is_own() const { return getpid() == process_; }

void Group::abort(const std::string& reason) {
  if (!is_own()) return;
  for (const Route& route : routes_) route.backend->abort(reason);
}

void Group::leave() {
  if (!is_own()) return;
  for (const Route& route : routes_) route.backend->leave();
}

Group::Lane Group::lane_of(CollectiveKind kind) {
  if (kind == CollectiveKind::kSend) return kSending;
  return kind == CollectiveKind::kRecv ? kReceiving : kTogether;
}

Backend& Group::backend_for(const Collective& collective) const {
  const auto& tensors = collective.inputs.empty() ? collective.outputs : collective.inputs;
  if (tensors.empty()) return *routes_.front().backend;
  const Device device = tensors[0].device();
  std::string names;
  for (const auto& [type, backend] : routes_) {
    if (type.value_or(device.type) == device.type && backend->takes(device)) return *backend;
    names += str(names.empty() ? "" : ", ", backend->name());
  }
  OW_THROW(ErrorKind::kRuntime, name_of(collective.kind), "(): the backend '", names,
           "' of the group '", name(), "' takes no tensors on ", device);
}

WorkPtr Group::start(Collective collective) {
  OW_CHECK(is_own(), name_of(collective.kind), "(): the group '", name(), "' was made by process ",
           process_, ", from which this one was forked; make a group of its own");
  check_collective(collective, *this);
  backend_for(collective);
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
  return backend_for(collective).run(collective, Deadline::after(timeout));
}

}  // namespace opweave::distributed
