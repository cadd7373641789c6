// Calls of collectives on their way to a backend.
#include "runtime/distributed/backends/group.h"

#include <unistd.h>

#include <map>

#include "runtime/core/error.h"
#include "runtime/core/str.h"
#include "runtime/distributed/backends/checks.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {

namespace {

Progress::Last last_of(const Collective& collective) {
  return {static_cast<int64_t>(collective.sequence), collective.kind};
}

// How many groups of a name the process has made before.
int count_of(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& counts = *new std::map<std::string, int>;
  const std::lock_guard lock(mutex);
  return counts[name]++;
}

std::string names_of(const std::vector<Route>& routes) {
  std::string names;
  for (const Route& route : routes) names += str(names.empty() ? "" : ", ", route.backend->name());
  return names;
}

}  // namespace

Group::Group(const BackendContext& context, std::vector<Route> routes)
    : context_(context),
      timeout_(context.timeout),
      process_(getpid()),
      routes_(std::move(routes)),
      name_(std::make_shared<GroupName>(GroupName{context.group, names_of(routes_), context.rank,
                                                  context.size, context.ranks,
                                                  count_of(context.group)})),
      recorder_(FlightRecorder::of_process()),
      watchdog_(Watchdog::of_process()) {
  for (auto& worker : workers_)
    worker = std::make_unique<Worker>([this](QueuedWork& work) { return run(work); });
  watchdog_.add(*this);
}

Group::~Group() {
  if (!is_own()) {  // their destructors would wait for threads that are not there
    for (auto& worker : workers_) worker.release();
    new std::vector<Route>(std::move(routes_));
    return;
  }
  watchdog_.remove(*this);
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
  for (const auto& [type, backend] : routes_) {
    if (type.value_or(device.type) == device.type && backend->takes(device)) return *backend;
  }
  OW_THROW(ErrorKind::kRuntime, name_of(collective.kind), "(): the backend '", name_->backend,
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
  if (!collective.timeout) collective.timeout = timeout_.load();
  const CallSite site = take_call_site();
  const Lane lane = lane_of(collective.kind);
  std::shared_ptr<QueuedWork> work;
  {
    const std::lock_guard lock(mutex_);
    Progress::Last& called = counts_[lane].called;
    collective.sequence = static_cast<uint64_t>(called.sequence + 1);
    const uint64_t record = recorder_.record(name_, collective, site);
    work = std::make_shared<QueuedWork>(std::move(collective), recorder_, record);
    called = last_of(work->collective());
  }
  workers_[lane]->start(work);
  return work;
}

int Group::run(QueuedWork& work) {
  const Collective& collective = work.collective();
  Counts& counts = counts_[lane_of(collective.kind)];
  note(counts.begun, collective);
  Backend& backend = backend_for(collective);
  try {
    const int source = backend.run(collective, Deadline::after(*collective.timeout));
    note(counts.done, collective);
    return source;
  } catch (const DistBackendError& error) {
    fail(work, backend, error.message());
  }
}

void Group::note(Progress::Last& last, const Collective& collective) {
  const std::lock_guard lock(mutex_);
  last = last_of(collective);
}

void Group::fail(QueuedWork& work, const Backend& backend, const std::string& why) {
  const std::string site = describe(work.site());
  const std::string text = str(why, "; in the group '", name(), "' (rank ", rank(), " of ", size(),
                               ")", site.empty() ? "" : ", called at ", site);
  work.note_failure(text);
  if (!backend.failure().empty()) watchdog_.report(*this, why, site);
  throw DistBackendError(text);
}

std::string Group::end_overdue(Work::Clock::time_point now) {
  for (const auto& worker : workers_) {
    const std::shared_ptr<QueuedWork> work = worker->running();
    if (work == nullptr || work->is_completed()) continue;
    const Deadline limit = work->deadline().later_by(Watchdog::kGrace);
    if (limit.is_never() || now < limit.at()) continue;
    const std::string why = str(describe_call(work->collective()),
                                ": its backend has not given up after the timeout of ",
                                work->collective().timeout->count(), "ms");
    if (watch_settings().policy == FailurePolicy::log) return why;
    work->fail_elsewhere(std::make_exception_ptr(DistBackendError(why)));
    abort(why);
    return why;
  }
  return {};
}

std::string Group::failure() const {
  for (const Route& route : routes_) {
    if (std::string why = route.backend->failure(); !why.empty()) return why;
  }
  return {};
}

std::vector<Progress> Group::progress() const {
  constexpr std::string_view kNames[kLanes] = {"collectives", "sends", "receives"};
  std::vector<Progress> all;
  for (size_t i = 0; i < kLanes; ++i) {
    const std::lock_guard lock(mutex_);
    const Counts& c = counts_[i];
    all.push_back({kNames[i], c.called, c.begun, c.done, workers_[i]->waiting()});
  }
  return all;
}

}  // namespace opweave::distributed
