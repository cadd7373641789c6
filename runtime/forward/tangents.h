// Tangents: what forward-mode differentiation attaches to tensors. A tensor that is computed from
// the inputs of a level (one call of jvp(), one dual_level) carries its derivative in the direction
// of the inputs' tangents.
//
// Levels of one thread are numbered from 1 on, the outermost first. A tensor with a tangent has the
// dispatch key kForward, below kBatched: batched tensors have none, the tensors that they stand for
// do. A tangent is a tensor like any other and may itself carry tangents of lower levels.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/tensor.h"

namespace opweave {

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
  mutable std::mutex mutex_;
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
class Tangents {
 public:
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
// A level that is open in this thread.
const TangentLevelPtr& open_tangent_level(int64_t number);

// The highest level that this thread sees a tangent of `t` of; 0: none.
int32_t tangent_level(const Tensor& t);
// Null when `t` has no tangent of the level.
const Tangent* find_tangent(const Tensor& t, int32_t level);
void attach_tangent(const Tensor& t, TangentLevelPtr level, Tensor value, bool late = false);
// Makes `copy`, which holds the same value, carry what `t` carries, now and later.
void share_tangents(const Tensor& t, const Tensor& copy);
// Brings the dispatch key of such a copy up to date.
void refresh_forward_key(const Tensor& copy);

// A copy of a tensor that is about to be written, for use below the forward-mode kernels. `clone`
// is the operator.
template <class Clone>
Tensor clone_with_tangents(const Tensor& t, Clone clone) {
  Tensor copy = clone(t, std::nullopt);
  if (t.key_set().has(DispatchKey::kForward)) [[unlikely]] {
    t.impl()->tangents()->for_each([&](const Tangent& tangent) {
      attach_tangent(copy, tangent.level, clone(tangent.value, std::nullopt));
    });
  }
  return copy;
}

// While it lives, operators see the tangents of levels up to `limit` only.
class ForwardLimitGuard {
 public:
  explicit ForwardLimitGuard(int32_t limit) { set_forward_limit(limit); }

 private:
  ThreadStateGuard restore_;
};

}  // namespace opweave
