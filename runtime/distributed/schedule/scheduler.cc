// Rounds: a word, and what follows from it.
#include "runtime/distributed/schedule/scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "opweave/ops/as_strided.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/distributed/backends/groups/checks.h"
#include "runtime/distributed/store/error_text.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {
namespace {

const Group& native(const ProcessGroupPtr& group) {
  const auto* made = dynamic_cast<const Group*>(group.get());
  OW_CHECK(made != nullptr, "Scheduler: the backend of the group '", group->name(),
           "' is not one of Opweave's");
  return *made;
}

// Kinds that do the same with every element, wherever it lies.
bool is_elementwise(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kBroadcast ||
         kind == CollectiveKind::kReduce;
}

}  // namespace

Scheduler::Scheduler(ProcessGroupPtr group, size_t round_nbytes)
    : group_(std::move(group)),
      native_(native(group_)),
      process_(getpid()),
      agenda_(std::max(round_nbytes, size_t{1})) {
  OW_CHECK(is_host(native_.speaks_on()), "Scheduler: the group '", group_->name(),
           "' takes no tensors on the host");
}

// A forked process has no thread to wait for, nor any that waits: destructors would wait for both.
Scheduler::~Scheduler() {
  if (!is_own()) {
    new std::thread(std::move(thread_));
    new std::map<uint64_t, Pending>(std::move(pending_));
    (void)changed_.release();
    return;
  }
  bool runs = false;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    runs = runs_;
  }
  changed_->notify_all();
  if (runs) group_->leave();  // or it would wait for ranks that do not come
  if (thread_.joinable()) thread_.join();
  end("its scheduler was closed");
}

bool Scheduler::is_own() const { return getpid() == process_; }

Agenda::Item Scheduler::item_of(const Collective& c, int priority) const {
  Agenda::Item item{.priority = priority};
  for (const auto* list : {&c.inputs, &c.outputs}) {
    for (const Tensor& t : *list) {
      OW_CHECK(is_host(t.device()), "Scheduler: ", name_of(c.kind),
               "(): expected tensors on the host, got one on ", t.device());
    }
  }
  const ScalarType dtype = c.outputs.empty() ? ScalarType() : c.outputs[0].dtype();
  item.kind = static_cast<uint64_t>(c.kind) << 48 | static_cast<uint64_t>(c.op) << 40 |
              static_cast<uint64_t>(dtype) << 32 | static_cast<uint32_t>(c.root);
  if (!is_elementwise(c.kind)) return item;
  for (const Tensor& t : c.outputs) {
    item.nbytes += t.nbytes();
    item.elements += t.numel();
  }
  if (c.outputs.size() == 1) item.grain = native_.grain(c);
  return item;
}

WorkPtr Scheduler::start(Collective collective, int priority) {
  OW_CHECK(is_own(), "Scheduler: it was made by process ", process_,
           ", from which this one was forked; make one of its own");
  OW_CHECK_VALUE(!is_letter(collective.kind), "Scheduler: ", name_of(collective.kind),
                 "(): it orders what all ranks do together");
  check_collective(collective, *group_);
  const Agenda::Item item = item_of(collective, priority);
  const CallSite site = take_call_site();
  for (const Tensor& t : collective.outputs)
    t.impl()->version().bump(name_of(collective.kind).data());
  std::string over;
  std::shared_ptr<QueuedWork> work;
  {
    const std::lock_guard lock(mutex_);
    collective.sequence = statistics_.collectives++;
    work = std::make_shared<QueuedWork>(std::move(collective), FlightRecorder::of_process(), 0);
    over = over_;
    if (over.empty()) {
      if (!thread_.joinable()) thread_ = begin_thread([this] { loop(); });
      pending_[agenda_.add(item)] = {work, site};
    }
  }
  changed_->notify_all();
  if (!over.empty())
    work->fail(std::make_exception_ptr(
        DistBackendError(str(describe(work->collective()), ": the scheduler has ended: ", over))));
  return work;
}

void Scheduler::loop() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      runs_ = false;
      changed_->wait(lock, [&] { return stopping_ || !agenda_.is_empty(); });
      if (stopping_ || !over_.empty()) return;
      runs_ = true;
    }
    try {
      carry_out(agree());
    } catch (...) {
      const std::string why = text_of(std::current_exception());
      group_->abort(why);
      return end(why);
    }
  }
}

// The word is called for as what waits longest would be.
Scheduler::Parts Scheduler::agree() {
  Tensor word = make_tensor({static_cast<int64_t>(Agenda::Word().size())}, kLong, host_device());
  auto* const numbers = static_cast<int64_t*>(word.raw_data());
  Collective collective{.kind = CollectiveKind::kAllReduce,
                        .inputs = {word},
                        .outputs = {word},
                        .op = ReduceOp::kMin};
  {
    const std::lock_guard lock(mutex_);
    const Agenda::Word mine = agenda_.word();
    std::copy(mine.begin(), mine.end(), numbers);
    const Pending& first = pending_.begin()->second;
    collective.timeout = first.work->collective().timeout;
    note_call_site(first.site);
  }
  const auto began = Work::Clock::now();
  group_->start(std::move(collective))->wait();
  Agenda::Word least;
  std::copy(numbers, numbers + least.size(), least.begin());
  const std::lock_guard lock(mutex_);
  statistics_.agreeing += std::chrono::duration<double>(Work::Clock::now() - began).count();
  ++statistics_.rounds;
  std::string unlike;
  Parts parts = agenda_.next(least, unlike);
  if (!unlike.empty()) throw DistBackendError(unlike);
  statistics_.parts += parts.size();
  statistics_.overtakings = agenda_.overtakings();
  statistics_.order = agenda_.order();
  return parts;
}

// Several are called at once, so that none waits for this thread to be woken.
void Scheduler::carry_out(const Parts& parts) {
  std::vector<WorkPtr> works;
  for (const Agenda::Part& part : parts) works.push_back(start_part(part, parts.size() == 1));
  for (size_t i = 0; i < parts.size(); ++i) {
    works[i]->wait();
    if (parts[i].is_last) finish(parts[i]);
  }
}

const Scheduler::Pending& Scheduler::pending(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return pending_.at(number);
}

WorkPtr Scheduler::start_part(const Agenda::Part& part, bool alone) {
  const Pending& of = pending(part.number);
  if (part.is_first) {
    of.work->take_up();
    of.work->begin();
  }
  Collective collective = of.work->collective();
  collective.async = !alone;
  if (!(part.is_first && part.is_last)) {
    const NoGradGuard no_grad;
    const Tensor& whole = collective.outputs[0];
    const Tensor piece =
        ops::as_strided::call(whole, {part.count}, {1}, whole.impl()->storage_offset() + part.from);
    collective.whole = whole.nbytes();
    collective.inputs = collective.outputs = {piece};
  }
  note_call_site(of.site);
  return group_->start(std::move(collective));
}

void Scheduler::finish(const Agenda::Part& part) {
  std::shared_ptr<QueuedWork> work;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(part.number);
    work = found->second.work;
    pending_.erase(found);
  }
  work->succeed(-1);
}

void Scheduler::end(const std::string& why) noexcept {
  std::map<uint64_t, Pending> left;
  {
    const std::lock_guard lock(mutex_);
    if (over_.empty()) over_ = why;
    left.swap(pending_);
  }
  for (const auto& [number, pending] : left)
    pending.work->fail(std::make_exception_ptr(
        DistBackendError(str(describe(pending.work->collective()), " by the scheduler: ", why))));
}

void Scheduler::abort(const std::string& reason) {
  if (is_own()) group_->abort(reason);
}

SchedulerStatistics Scheduler::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace opweave::distributed
