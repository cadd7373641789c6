// Calls of collectives on their way to a backend.
#include "runtime/distributed/backends/groups/group.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/groups/checks.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/backends/watchful_store.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/prefix_store.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {

namespace {

Progress::Last last_of(const Collective& collective) {
  return {static_cast<int64_t>(collective.sequence), collective.kind};
}

// How many groups of a name the process has made before.
int count_of(const std::string& name) {
  static ForkSafeMutex& mutex = *new ForkSafeMutex;
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

BackendContext context_of(const BackendContext& group, std::string_view backend) {
  BackendContext context = group;
  context.store = std::make_shared<PrefixStore>(std::string(backend), group.store);
  return context;
}

Group::Group(const BackendContext& context, std::vector<Route> routes)
    : context_(context),
      timeout_(context.timeout),
      process_(getpid()),
      name_(std::make_shared<GroupName>(
          GroupName{context.group, names_of(routes), context.rank, context.size, context.ranks,
                    count_of(context.group), environment_of_groups()})),
      recorder_(FlightRecorder::of_process()),
      watchdog_(Watchdog::of_process()),
      routes_(std::make_shared<const Routes>(std::move(routes))) {
  const Worker::Steps steps{
      .run = [this](QueuedWork& work) { return run(work); },
      .settle = [this](QueuedWork& work, std::exception_ptr e) { return settle(work, e); }};
  for (auto& worker : workers_) worker = std::make_unique<Worker>(steps);
  watchdog_.add(*this);
}

Group::~Group() {
  if (!is_own()) {  // their destructors would wait for threads that are not there
    for (auto& worker : workers_) (void)worker.release();
    new std::shared_ptr<const Routes>(std::move(routes_));
    return;
  }
  end();
}

void Group::leave() {
  if (is_own()) end();
}

// Once: who comes second may be a callback that the first waits for.
void Group::end() {
  if (leaving_.exchange(true)) return;
  see_backends([](Backend& backend) { backend.leave(); });
  bool returned = true;
  for (auto& worker : workers_) returned = worker->stop() && returned;
  // Last: it ends what hangs.
  watchdog_.remove(*this);
  std::shared_ptr<const Routes> last;
  {
    const std::lock_guard lock(mutex_);
    last.swap(routes_);
  }
  // What hangs, hangs in one of these.
  if (!returned) new std::shared_ptr<const Routes>(std::move(last));
}

bool Group::is_own() const { return getpid() == process_; }

std::shared_ptr<const Group::Routes> Group::routes_or_none() const {
  const std::lock_guard lock(mutex_);
  return routes_;
}

std::shared_ptr<const Group::Routes> Group::routes() const {
  auto routes = routes_or_none();
  if (routes == nullptr)
    throw DistBackendError(str("the group '", name(), "': its process group was destroyed"));
  return routes;
}

template <class See>
void Group::see_backends(See see) const {
  const auto routes = routes_or_none();
  if (routes == nullptr) return;
  for (const Route& route : *routes) see(*route.backend);
}

void Group::abort(const std::string& reason) {
  if (!is_own()) return;
  see_backends([&](Backend& backend) { backend.abort(reason); });
}

Group::Queue Group::queue_of(CollectiveKind kind) {
  if (kind == CollectiveKind::kSend) return kSending;
  return kind == CollectiveKind::kRecv ? kReceiving : kTogether;
}

Group::Way Group::way_of(const Collective& collective) const {
  const auto way = [](const std::shared_ptr<Backend>& backend, bool staged) {
    return Way{backend, dynamic_cast<DeviceBackend*>(backend.get()), staged};
  };
  const auto routes = this->routes();
  const auto& tensors = collective.inputs.empty() ? collective.outputs : collective.inputs;
  if (tensors.empty()) return way(routes->front().backend, false);
  const Device device = tensors[0].device();
  for (const auto& [type, backend] : *routes) {
    if (type.value_or(device.type) != device.type) continue;
    if (backend->takes(device)) return way(backend, false);
    if (backend->takes(host_device()) && can_stage(device)) return way(backend, true);
  }
  OW_THROW(ErrorKind::kRuntime, name_of(collective.kind), "(): the backend '", name_->backend,
           "' of the group '", name(), "' takes no tensors on ", device);
}

std::map<int, std::string> Group::lost() const {
  std::map<int, std::string> all;
  see_backends([&](Backend& backend) { all.merge(backend.lost()); });
  return all;
}

BackendContext Group::watched(const BackendContext& part) const {
  std::vector<std::weak_ptr<Backend>> backends;
  for (const Route& route : *routes()) backends.push_back(route.backend);
  // By their rank here, that in the part.
  std::map<int, int> places;
  for (size_t i = 0; i < part.ranks.size(); ++i) {
    const auto here = std::find(context_.ranks.begin(), context_.ranks.end(), part.ranks[i]);
    if (here != context_.ranks.end())
      places[static_cast<int>(here - context_.ranks.begin())] = static_cast<int>(i);
  }
  const auto look = [backends, places, name = part.group, size = part.size] {
    std::map<int, std::string> lost;
    for (const auto& weak : backends) {
      if (const auto backend = weak.lock()) lost.merge(backend->lost());
    }
    std::string text;
    for (const auto& [rank, who] : lost) {
      if (const auto place = places.find(rank); place != places.end())
        text += str(text.empty() ? "" : ", ", "rank ", place->second, " (", who, ") has ended");
    }
    if (!text.empty())
      throw DistBackendError(
          str("the group '", name, "' of ", size, " ranks cannot be made: ", text));
  };
  BackendContext own = part;
  own.store = std::make_shared<WatchfulStore>(part.store, look);
  return own;
}

std::unique_ptr<Group> Group::split(const BackendContext& own_part, int color) {
  BackendContext part = watched(own_part);
  part.priority = context_.priority;
  std::vector<Route> routes;
  const auto own_routes = this->routes();
  for (const auto& [type, backend] : *own_routes) {
    const BackendContext context = color < 0 ? part : context_of(part, backend->name());
    std::shared_ptr<Backend> own = backend->split(context, color);
    if (color < 0) continue;
    if (own == nullptr) own = make_backend(std::string(backend->name()), context);
    routes.push_back({type, std::move(own)});
  }
  return color < 0 ? nullptr : std::make_unique<Group>(part, std::move(routes));
}

std::shared_ptr<Backend> Group::takes_host(const Routes& routes) {
  const Device host = host_device();
  for (const auto& [type, backend] : routes) {
    if (type.value_or(host.type) == host.type && backend->takes(host)) return backend;
  }
  return nullptr;
}

Device Group::speaks_on() const {
  const auto routes = this->routes();
  if (takes_host(*routes) != nullptr) return host_device();
  const auto* on_device = dynamic_cast<const DeviceBackend*>(routes->front().backend.get());
  return on_device == nullptr ? host_device() : on_device->device();
}

std::shared_ptr<Backend> Group::on_host() const {
  const auto routes = this->routes();
  const auto found = takes_host(*routes);
  return found == nullptr ? routes->front().backend : found;
}

int64_t Group::grain(const Collective& collective) const {
  const Way way = way_of(collective);
  return way.on_device || way.is_staged ? 0 : way.backend->grain(collective);
}

void Group::connect(Device device) {
  const auto routes = this->routes();
  for (const auto& [type, backend] : *routes) {
    if (type.value_or(device.type) != device.type) continue;
    if (auto* on_device = dynamic_cast<DeviceBackend*>(backend.get()))
      on_device->connect(device, Deadline::after(timeout_.load()));
  }
}

WorkPtr Group::start(Collective collective) {
  // Taken also by what is refused: the next call has its own.
  const CallSite site = take_call_site();
  OW_CHECK(is_own(), name_of(collective.kind), "(): the group '", name(), "' was made by process ",
           process_, ", from which this one was forked; make a group of its own");
  check_collective(collective, *this);
  const Way way = way_of(collective);
  // As operators do that write: what autograd has saved of it is no longer there.
  for (const Tensor& t : collective.outputs)
    t.impl()->version().bump(name_of(collective.kind).data());
  if (!collective.timeout) collective.timeout = timeout_.load();
  return way.on_device ? start_on_device(std::move(collective), site, way)
                       : start_on_host(std::move(collective), site, way);
}

template <class MakeWork>
auto Group::enter(Collective collective, const CallSite& site, MakeWork make) {
  const std::lock_guard lock(mutex_);
  Progress::Last& called = counts_[queue_of(collective.kind)].called;
  collective.sequence = static_cast<uint64_t>(called.sequence + 1);
  called = last_of(collective);
  const uint64_t record = recorder_.record(name_, collective, site);
  return make(std::move(collective), record);
}

WorkPtr Group::start_on_host(Collective collective, const CallSite& site, const Way& way) {
  Worker& worker = *workers_[queue_of(collective.kind)];
  const bool async = collective.async;
  const std::shared_ptr<QueuedWork> work =
      enter(std::move(collective), site, [&](Collective entered, uint64_t record) {
        return std::make_shared<QueuedWork>(std::move(entered), recorder_, record);
      });
  if (way.is_staged) work->set_staging(std::make_unique<Staging>(work->collective()));
  const bool here = !way.is_staged && way.backend->keeps_deadlines();
  async ? worker.queue(work) : worker.run(work, here);
  return work;
}

WorkPtr Group::start_on_device(Collective collective, const CallSite& site, const Way& way) {
  std::shared_ptr<DeviceWork> work;
  {
    const std::lock_guard order(launching_);
    work = enter_device(std::move(collective), site);
    Batch* batch = is_letter(work->collective().kind) ? own_batch() : nullptr;
    if (batch != nullptr) {
      OW_CHECK(batch->way.backend == nullptr || batch->way.backend == way.backend, "the group '",
               name(), "': the sends and receives of a batch are of one type of device");
      batch->way = way;
      batch->works.push_back(work);
      return work;
    }
    launch({work}, *way.on_device);
  }
  if (!work->collective().async) work->wait();
  return work;
}

std::shared_ptr<DeviceWork> Group::enter_device(Collective collective, const CallSite& site) {
  return enter(std::move(collective), site, [&](Collective entered, uint64_t record) {
    return std::make_shared<DeviceWork>(std::move(entered), recorder_, record,
                                        watch_settings().blocking_wait);
  });
}

void Group::launch(const DeviceWorks& works, DeviceBackend& backend) {
  std::vector<const Collective*> collectives;
  for (const auto& work : works) collectives.push_back(&work->collective());
  const Launching here(*this, works[0]);
  try {
    auto launched = backend.launch(collectives, Deadline::after(*collectives[0]->timeout));
    for (size_t i = 0; i < works.size(); ++i) works[i]->set_launched(std::move(launched[i]));
  } catch (...) {
    const auto error = std::current_exception();
    for (const auto& work : works) {
      work->begin();
      work->fail(named(*work, error));
    }
    return;
  }
  for (const auto& work : works) {
    if (work->launched()->is_captured) {
      work->begin();
      work->succeed(-1);
    } else {
      workers_[queue_of(work->collective().kind)]->queue(work);
    }
  }
}

// The watchdog sees what is launched, too.
Group::Launching::Launching(Group& group, const std::shared_ptr<DeviceWork>& work) : group_(group) {
  work->take_up();
  const std::lock_guard lock(group_.mutex_);
  group_.launched_now_ = work;
}

Group::Launching::~Launching() {
  const std::lock_guard lock(group_.mutex_);
  group_.launched_now_.reset();
}

thread_local std::unique_ptr<Group::Batch> Group::batch_;

Group::Batch* Group::own_batch() const {
  return batch_ != nullptr && batch_->group == this ? batch_.get() : nullptr;
}

void Group::begin_batch() {
  OW_CHECK(batch_ == nullptr, "the group '", name(),
           "': a batch of sends and receives within another");
  batch_.reset(new Batch{this});
}

void Group::end_batch() {
  if (own_batch() == nullptr) return;
  const std::unique_ptr<Batch> batch = std::move(batch_);
  if (batch->works.empty()) return;
  const std::lock_guard order(launching_);
  launch(batch->works, *batch->way.on_device);
}

int Group::run_staged(Backend& backend, QueuedWork& work, const Deadline& deadline) {
  Staging& staging = *work.staging();
  const int source = backend.run(staging.to_host(), deadline);
  staging.bring_back();
  return source;
}

Staged Group::staged() const {
  const std::lock_guard lock(mutex_);
  return staged_;
}

int Group::run(QueuedWork& work) {
  const Collective& collective = work.collective();
  note(counts_[queue_of(collective.kind)].begun, collective);
  return run_by(way_of(collective), work, Deadline::after(*collective.timeout));
}

std::exception_ptr Group::settle(QueuedWork& work, const std::exception_ptr& error) {
  const Collective& collective = work.collective();
  if (error) return named(work, error);
  note(counts_[queue_of(collective.kind)].done, collective);
  if (const Staging* staging = work.staging()) {
    const std::lock_guard lock(mutex_);
    staged_.collectives += 1;
    staged_.nbytes += staging->nbytes();
  }
  return nullptr;
}

int Group::run_by(const Way& way, QueuedWork& work, const Deadline& deadline) {
  if (way.on_device)
    return way.on_device->finish(work.collective(), *static_cast<DeviceWork&>(work).launched(),
                                 deadline, [&] { work.begin(); });
  work.begin();
  return way.is_staged ? run_staged(*way.backend, work, deadline)
                       : way.backend->run(work.collective(), deadline);
}

void Group::note(Progress::Last& last, const Collective& collective) {
  const std::lock_guard lock(mutex_);
  last = last_of(collective);
}

std::exception_ptr Group::named(QueuedWork& work, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DistBackendError& e) {
    const std::string site = describe(work.site());
    const std::string text = str(e.message(), "; in the group '", name(), "' (rank ", rank(),
                                 " of ", size(), ")", site.empty() ? "" : ", called at ", site);
    work.note_failure(text);
    if (!failure().empty()) watchdog_.report(*this, e.message(), site);
    return std::make_exception_ptr(DistBackendError(text));
  } catch (...) {
    return error;
  }
}

std::string Group::end_overdue(Work::Clock::time_point now) {
  for (const std::shared_ptr<QueuedWork>& work : works_at_hand()) {
    if (work->is_completed()) continue;
    const Deadline limit = work->deadline().later_by(Watchdog::kGrace);
    if (limit.is_never() || now < limit.at()) continue;
    const std::string why = str(describe_call(work->collective()),
                                ": its backend has not given up after the timeout of ",
                                work->collective().timeout->count(), "ms");
    if (watch_settings().policy == FailurePolicy::log) return why;
    work->fail_elsewhere(std::make_exception_ptr(DistBackendError(why)));
    for (auto& worker : workers_) worker->fail_all("its group has ended: " + why);
    abort_elsewhere(why);
    return why;
  }
  return {};
}

// What hangs may hold what an abort needs, and the watchdog waits for nobody.
void Group::abort_elsewhere(const std::string& why) const {
  std::vector<std::shared_ptr<Backend>> backends;
  if (const auto routes = routes_or_none()) {
    for (const Route& route : *routes) backends.push_back(route.backend);
  }
  const auto abort_all = [backends = std::move(backends), why] {
    for (const auto& backend : backends) backend->abort(why);
  };
  try {
    begin_thread(abort_all).detach();
  } catch (const std::exception&) {
    abort_all();
  }
}

std::vector<std::shared_ptr<QueuedWork>> Group::works_at_hand() const {
  std::vector<std::shared_ptr<QueuedWork>> works;
  for (const auto& worker : workers_) {
    if (auto work = worker->running()) works.push_back(std::move(work));
  }
  const std::lock_guard lock(mutex_);
  if (launched_now_) works.push_back(launched_now_);
  return works;
}

std::string Group::failure() const {
  if (leaving_.load()) return {};
  std::string why;
  see_backends([&](Backend& backend) {
    if (why.empty()) why = backend.failure();
  });
  return why;
}

std::vector<Progress> Group::progress() const {
  constexpr std::string_view kNames[kQueues] = {"collectives", "sends", "receives"};
  std::vector<Progress> all;
  for (size_t i = 0; i < kQueues; ++i) {
    const std::lock_guard lock(mutex_);
    const Counts& c = counts_[i];
    all.push_back({kNames[i], c.called, c.begun, c.done, workers_[i]->waiting()});
  }
  return all;
}

}  // namespace opweave::distributed
