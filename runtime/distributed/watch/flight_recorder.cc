// The ring of records.
#include "runtime/distributed/watch/flight_recorder.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/core/base/of_process.h"
#include "runtime/distributed/watch/settings.h"

namespace opweave::distributed {
namespace {

uint64_t thread_number() {
  static thread_local const auto number = static_cast<uint64_t>(syscall(SYS_gettid));
  return number;
}

}  // namespace

void Shapes::assign(const std::vector<Tensor>& tensors) {
  numbers_.clear();
  for (const Tensor& t : tensors) {
    numbers_.push_back(static_cast<int64_t>(t.dtype()));
    numbers_.push_back(t.dim());
    numbers_.insert(numbers_.end(), t.sizes().begin(), t.sizes().end());
  }
}

std::string_view name_of(Record::State state) {
  constexpr std::string_view kNames[] = {"scheduled", "started", "completed", "failed"};
  return kNames[static_cast<size_t>(state)];
}

FlightRecorder& FlightRecorder::of_process() {
  static OfProcess<FlightRecorder> recorder;
  return recorder.get([] { return new FlightRecorder(watch_settings().buffer_size); });
}

Record* FlightRecorder::find(uint64_t id) {
  if (id == 0) return nullptr;
  Record& record = ring_[id % ring_.size()];
  return record.id == id ? &record : nullptr;
}

uint64_t FlightRecorder::record(const std::shared_ptr<const GroupName>& group,
                                const Collective& collective, const CallSite& site) noexcept try {
  if (ring_.empty()) return 0;
  const auto now = std::chrono::system_clock::now();
  const std::lock_guard lock(mutex_);
  Record& record = ring_[++last_ % ring_.size()];
  record.id = 0;  // nobody's, should memory run out below
  record.group = group;
  record.kind = collective.kind;
  record.op = collective.op;
  record.root = collective.root;
  record.tag = collective.tag;
  record.sequence = collective.sequence;
  record.timeout = collective.timeout.value_or(std::chrono::milliseconds(0));
  record.inputs.assign(collective.inputs);
  record.outputs.assign(collective.outputs);
  record.site = site;
  record.title = title();
  record.thread = thread_number();
  record.state = Record::State::scheduled;
  record.queued = now;
  record.started = record.ended = {};
  record.error.clear();
  return record.id = last_;
} catch (const std::bad_alloc&) {
  return 0;
}

void FlightRecorder::start(uint64_t id) noexcept {
  if (id == 0) return;
  const auto now = std::chrono::system_clock::now();
  const std::lock_guard lock(mutex_);
  Record* record = find(id);
  if (record == nullptr) return;
  record->state = Record::State::started;
  record->started = now;
}

void FlightRecorder::end(uint64_t id, std::string_view error) noexcept {
  if (id == 0) return;
  const auto now = std::chrono::system_clock::now();
  const std::lock_guard lock(mutex_);
  Record* record = find(id);
  if (record == nullptr || record->has_ended()) return;  // what was said first counts
  record->state = error.empty() ? Record::State::completed : Record::State::failed;
  record->ended = now;
  try {
    record->error = error;
  } catch (const std::bad_alloc&) {
    return;  // that it failed is known
  }
}

CallSite FlightRecorder::site_of(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const Record* record = const_cast<FlightRecorder*>(this)->find(id);
  return record == nullptr ? CallSite() : record->site;
}

std::vector<Record> FlightRecorder::records() const {
  std::vector<Record> all;
  {
    const std::lock_guard lock(mutex_);
    std::copy_if(ring_.begin(), ring_.end(), std::back_inserter(all),
                 [](const Record& record) { return record.id != 0; });
  }
  std::sort(all.begin(), all.end(), [](const Record& a, const Record& b) { return a.id < b.id; });
  return all;
}

}  // namespace opweave::distributed
