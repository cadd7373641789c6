// Levels, and the tangents that tensors carry.
#include "runtime/forward/tangents.h"

#include <algorithm>

namespace opweave {
namespace {

// The levels of a thread, the outermost first, and how many of them operators see.
struct OpenLevels final : RefCounted {
  std::vector<TangentLevelPtr> list;
};
struct Seen {
  int32_t depth, limit;
};
constinit ThreadReference<OpenLevels> open_levels;
constinit ThreadValue<Seen> seen;

void change_levels(std::vector<TangentLevelPtr> list) {
  const auto depth = static_cast<int32_t>(list.size());
  thread_state().companions = depth > 0;
  auto levels = make_intrusive<OpenLevels>();
  levels->list = std::move(list);
  open_levels.set(depth > 0 ? std::move(levels) : nullptr);
  seen.set({depth, depth});
  set_tangent_limit(depth);
}

const std::vector<TangentLevelPtr>& levels_of_thread() {
  static const std::vector<TangentLevelPtr> none;
  const OpenLevels* levels = open_levels.get();
  return levels != nullptr ? levels->list : none;
}

// What a tensor carries; null when that is nothing.
Tangents* tangents_of(const Tensor& t) {
  return static_cast<Tangents*>(t.impl()->companion().get());
}

}  // namespace

namespace detail {
constinit FunctionalityKey forward_key{"Forward", {.above = "Autograd", .opt_in = true}};
}

void TangentLevel::add(std::weak_ptr<Tangents> carrier) {
  std::lock_guard lock(mutex_);
  carriers_.push_back(std::move(carrier));
  if (carriers_.size() >= next_cleaning_) drop_dead_carriers();
}

void TangentLevel::drop_dead_carriers() {
  std::erase_if(carriers_, [](const auto& carrier) { return carrier.expired(); });
  next_cleaning_ = std::max<size_t>(64, 2 * carriers_.size());
}

size_t TangentLevel::carriers() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(carriers_.begin(), carriers_.end(),
                                           [](const auto& c) { return !c.expired(); }));
}

void TangentLevel::end() {
  std::vector<std::weak_ptr<Tangents>> carriers;
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
    carriers.swap(carriers_);
  }
  // Freed one after the other: tangents own the graphs of other tangents.
  for (const auto& weak : carriers) {
    if (const std::shared_ptr<Tangents> carrier = weak.lock()) carrier->take(*this);
  }
}

const Tangent* Tangents::find(int32_t level) const {
  for (const Tangent& t : entries_) {
    if (t.level->number() == level && !t.level->ended()) return &t;
  }
  return nullptr;
}

int32_t Tangents::highest(int32_t limit) const {
  int32_t found = 0;
  for (const Tangent& t : entries_) {
    const int32_t number = t.level->number();
    if (number <= limit && number > found && !t.level->ended()) found = number;
  }
  return found;
}

void Tangents::set(Tangent tangent) {
  std::erase_if(entries_, [](const Tangent& t) { return t.level->ended(); });
  for (Tangent& t : entries_) {
    if (t.level == tangent.level) {
      t.value = std::move(tangent.value);
      return;
    }
  }
  entries_.push_back(std::move(tangent));
}

Tensor Tangents::take(const TangentLevel& level) {
  for (auto t = entries_.begin(); t != entries_.end(); ++t) {
    if (t->level.get() != &level) continue;
    Tensor value = std::move(t->value);
    entries_.erase(t);
    return value;
  }
  return {};
}

void Tangents::refresh(const Tensor& tensor) const {
  tensor.impl()->set_keys(forward_key(), highest(INT32_MAX) > 0);
}

void Tangents::copy_to(const Tensor& copy, Clone clone) const {
  for_each([&](const Tangent& tangent) {
    // A tangent has tangents of lower levels, which operators may not see where this is called.
    attach_tangent(copy, tangent.level, clone_with_companion(tangent.value, clone));
  });
}

int32_t tangent_depth() { return seen.get().depth; }
int32_t tangent_limit() { return seen.get().limit; }

void set_tangent_limit(int32_t limit) {
  seen.set({tangent_depth(), limit});
  ThreadState& state = thread_state();
  const DispatchKeySet key = forward_key();
  state.excluded = limit > 0 ? state.excluded - key : state.excluded | key;
}

const TangentLevelPtr& enter_tangent_level() {
  set_companion_maker([]() -> std::shared_ptr<Companion> { return std::make_shared<Tangents>(); });
  std::vector<TangentLevelPtr> list = levels_of_thread();
  list.push_back(std::make_shared<TangentLevel>(static_cast<int32_t>(list.size()) + 1));
  change_levels(std::move(list));
  return levels_of_thread().back();
}

void leave_tangent_level() {
  std::vector<TangentLevelPtr> list = levels_of_thread();
  OW_CHECK(!list.empty(), "forward-mode differentiation: there is no level to leave");
  const TangentLevelPtr level = std::move(list.back());
  list.pop_back();
  ThreadState& state = thread_state();
  if (list.empty()) state.included = state.included - forward_key();
  change_levels(std::move(list));
  level->end();
}

const TangentLevelPtr& open_tangent_level(int64_t number) {
  for (const TangentLevelPtr& level : levels_of_thread()) {
    if (level->number() == number) return level;
  }
  OW_THROW(ErrorKind::kRuntime, "forward-mode differentiation: level ", number,
           " is not open in this thread");
}

int32_t tangent_level(const Tensor& t) {
  return has_forward_key(t) ? tangents_of(t)->highest(tangent_limit()) : 0;
}

const Tangent* find_tangent(const Tensor& t, int32_t level) {
  return has_forward_key(t) ? tangents_of(t)->find(level) : nullptr;
}

void attach_tangent(const Tensor& t, TangentLevelPtr level, Tensor value, bool late) {
  const std::shared_ptr<Companion>& companion = companion_of(t);
  const auto tangents = std::static_pointer_cast<Tangents>(companion);
  level->add(tangents);
  tangents->set({std::move(level), std::move(value), late});
  t.impl()->set_keys(forward_key(), true);
}

void drop_tangents(const Tensor& t) {
  if (!has_forward_key(t)) return;
  const auto tangents = std::static_pointer_cast<Tangents>(companion_of(t));
  for (const TangentLevelPtr& level : levels_of_thread()) tangents->take(*level);
  refresh_forward_key(t);
}

void refresh_forward_key(const Tensor& t) {
  const Tangents* tangents = tangents_of(t);
  t.impl()->set_keys(forward_key(), tangents != nullptr && tangents->highest(INT32_MAX) > 0);
}

}  // namespace opweave
