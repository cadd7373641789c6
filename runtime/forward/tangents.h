// Tangents: what forward-mode differentiation attaches to tensors. A tensor that is computed from
// the inputs of a level (one call of jvp(), one dual_level) carries its derivative in the direction
// of the inputs' tangents.
//
// Levels of one thread are numbered from 1 on, the outermost first. A tensor with a tangent has the
// dispatch key forward_key(), below that of vmap: batched tensors have none, the tensors that they
// stand for do. A tangent is a tensor like any other and may itself carry tangents of lower levels.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/tensor/companion.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"

namespace opweave {

namespace detail {
extern FunctionalityKey forward_key;
}
// Of tensors with tangents. Seen by operators while a level is.
inline DispatchKeySet forward_keys() { return detail::forward_key.keys(); }
inline DispatchKey forward_key() { return detail::forward_key.key(); }
inline bool has_forward_key(const Tensor& t) { return t.key_set().has_any(forward_keys()); }

class Tangents;

// While it lasts, it knows who carries its tangents; they go when it ends. A tangent may depend on
// the tensor that carries it, so the level's end is also what frees such circles.
class TangentLevel {
 public:
  explicit TangentLevel(int32_t number) : number_(number) {}

  int32_t number() const { return number_; }
  bool ended() const { return ended_; }
  void add(std::weak_ptr<Tangents> carrier);
  void end();
  size_t carriers() const;  // alive

 private:
  void drop_dead_carriers();

  const int32_t number_;
  bool ended_ = false;
  mutable ForkSafeMutex mutex_;
  std::vector<std::weak_ptr<Tangents>> carriers_;
  size_t next_cleaning_ = 64;
};
using TangentLevelPtr = std::shared_ptr<TangentLevel>;

struct Tangent {
  TangentLevelPtr level;
  Tensor value;
  // It came with a write to a tensor without one: views from before do not carry theirs yet.
  bool late = false;
};

// Of one tensor: at most one for each level.
class Tangents final : public Companion {
 public:
  void refresh(const Tensor& tensor) const override;
  void copy_to(const Tensor& copy, Clone clone) const override;
  // Null when there is none, or its level has ended.
  const Tangent* find(int32_t level) const;
  // The highest level with a tangent, up to `limit`; 0: none.
  int32_t highest(int32_t limit) const;
  void set(Tangent tangent);
  template <class F>
  void for_each(F f) const {
    for (const Tangent& t : entries_) {
      if (!t.level->ended()) f(t);
    }
  }
  // Takes out what belongs to the level.
  Tensor take(const TangentLevel& level);

 private:
  std::vector<Tangent> entries_;
};

// Opens a level in this thread, and closes the innermost.
const TangentLevelPtr& enter_tangent_level();
void leave_tangent_level();
// How many are open, and the highest whose tangents operators see.
int32_t tangent_depth();
int32_t tangent_limit();
void set_tangent_limit(int32_t limit);
// A level that is open in this thread.
const TangentLevelPtr& open_tangent_level(int64_t number);

// The highest level that this thread sees a tangent of `t` of; 0: none.
int32_t tangent_level(const Tensor& t);
// Null when `t` has no tangent of the level.
const Tangent* find_tangent(const Tensor& t, int32_t level);
void attach_tangent(const Tensor& t, TangentLevelPtr level, Tensor value, bool late = false);
// Takes all tangents that this thread knows from a tensor.
void drop_tangents(const Tensor& t);
// Brings the dispatch key of a tensor up to date.
void refresh_forward_key(const Tensor& t);

// While it lives, operators see the tangents of levels up to `limit` only.
class ForwardLimitGuard {
 public:
  explicit ForwardLimitGuard(int32_t limit)
      : limit_(tangent_limit()),
        included_(thread_state().included),
        excluded_(thread_state().excluded) {
    set_tangent_limit(limit);
  }
  // What was written late meanwhile, such as a tangent of a lower level, stays to be seen.
  ~ForwardLimitGuard() {
    set_tangent_limit(limit_);
    thread_state().included = included_ | (thread_state().included & forward_keys());
    thread_state().excluded = excluded_;
  }
  ForwardLimitGuard(const ForwardLimitGuard&) = delete;

 private:
  const int32_t limit_;
  const DispatchKeySet included_, excluded_;
};

}  // namespace opweave
