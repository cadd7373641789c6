// Levels, and the tangents that tensors carry.
#include "runtime/forward/tangents.h"

#include <algorithm>

namespace opweave {
namespace {

thread_local std::vector<TangentLevelPtr> open_levels;

}  // namespace

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

const TangentLevelPtr& enter_tangent_level() {
  const int32_t number = ++thread_state().forward_depth;
  set_forward_limit(number);
  return open_levels.emplace_back(std::make_shared<TangentLevel>(number));
}

void leave_tangent_level() {
  OW_CHECK(!open_levels.empty(), "forward-mode differentiation: there is no level to leave");
  const TangentLevelPtr level = std::move(open_levels.back());
  open_levels.pop_back();
  thread_state().forward_depth = level->number() - 1;
  set_forward_limit(level->number() - 1);
  ThreadState& state = thread_state();
  if (open_levels.empty()) state.included = state.included - DispatchKey::kForward;
  level->end();
}

const TangentLevelPtr& open_tangent_level(int64_t number) {
  for (const TangentLevelPtr& level : open_levels) {
    if (level->number() == number) return level;
  }
  OW_THROW(ErrorKind::kRuntime, "forward-mode differentiation: level ", number,
           " is not open in this thread");
}

int32_t tangent_level(const Tensor& t) {
  if (!t.key_set().has(DispatchKey::kForward)) return 0;
  return t.impl()->tangents()->highest(thread_state().forward_limit);
}

const Tangent* find_tangent(const Tensor& t, int32_t level) {
  if (!t.key_set().has(DispatchKey::kForward)) return nullptr;
  return t.impl()->tangents()->find(level);
}

void attach_tangent(const Tensor& t, TangentLevelPtr level, Tensor value, bool late) {
  TensorImpl& impl = *t.impl();
  if (!impl.tangents()) impl.set_tangents(std::make_shared<Tangents>());
  level->add(impl.tangents());
  impl.tangents()->set({std::move(level), std::move(value), late});
  impl.set_forward_key(true);
}

void share_tangents(const Tensor& t, const Tensor& copy) {
  if (!t.impl()->tangents()) t.impl()->set_tangents(std::make_shared<Tangents>());
  copy.impl()->set_tangents(t.impl()->tangents());
  refresh_forward_key(copy);
}

void refresh_forward_key(const Tensor& copy) {
  const auto& tangents = copy.impl()->tangents();
  copy.impl()->set_forward_key(tangents != nullptr && tangents->highest(INT32_MAX) > 0);
}

}  // namespace opweave
