// Levels of forward-mode differentiation, and the tangents that tensors carry.
#include "runtime/forward/tangents.h"

#include <doctest/doctest.h>

namespace opweave {
namespace {

Tensor vector() { return make_tensor({3}, kDouble, kCPU); }

struct Level {
  Level() : level(enter_tangent_level()) {}
  ~Level() { leave_tangent_level(); }
  const TangentLevelPtr level;
};

bool has_key(const Tensor& t) { return has_forward_key(t); }
bool forward_excluded() { return thread_state().excluded.has(forward_key()); }

TEST_CASE("a thread sees no tangents until it opens a level") {
  CHECK(forward_excluded());
  {
    const Level outer;
    CHECK_FALSE(forward_excluded());
    CHECK(tangent_limit() == 1);
    {
      const Level inner;
      CHECK(inner.level->number() == 2);
      CHECK(tangent_limit() == 2);
    }
    CHECK(tangent_limit() == 1);
    CHECK_FALSE(forward_excluded());
  }
  CHECK(forward_excluded());
  CHECK(tangent_depth() == 0);
}

TEST_CASE("a tensor has at most one tangent of each level") {
  const Level outer, inner;
  const Tensor t = vector(), a = vector(), b = vector(), c = vector();
  CHECK(tangent_level(t) == 0);
  attach_tangent(t, outer.level, a);
  CHECK(has_key(t));
  CHECK(tangent_level(t) == 1);
  attach_tangent(t, inner.level, b);
  CHECK(tangent_level(t) == 2);
  attach_tangent(t, inner.level, c);
  CHECK(find_tangent(t, 1)->value.is_same(a));
  CHECK(find_tangent(t, 2)->value.is_same(c));
  CHECK(find_tangent(t, 3) == nullptr);
}

TEST_CASE("the limit hides higher levels") {
  const Level outer, inner;
  const Tensor t = vector();
  attach_tangent(t, inner.level, vector());
  {
    const ForwardLimitGuard below(1);
    CHECK(tangent_level(t) == 0);
    CHECK_FALSE(forward_excluded());
    {
      const ForwardLimitGuard nothing(0);
      CHECK(forward_excluded());
    }
    CHECK_FALSE(forward_excluded());
  }
  CHECK(tangent_level(t) == 2);
}

TEST_CASE("tangents go when their level ends") {
  const Tensor t = vector();
  Tensor tangent = vector();
  const intrusive_ptr<TensorImpl> watched = tangent.impl_ptr();
  {
    const Level level;
    attach_tangent(t, level.level, std::move(tangent));
    CHECK(watched->use_count() == 2);
  }
  CHECK(watched->use_count() == 1);
  // A later level of the same number is another one.
  const Level level;
  CHECK(tangent_level(t) == 0);
  CHECK(find_tangent(t, 1) == nullptr);
  refresh_forward_key(t);
  CHECK_FALSE(has_key(t));
}

TEST_CASE("a level forgets tensors that have died") {
  const Level level;
  const Tensor kept = vector();
  attach_tangent(kept, level.level, vector());
  for (int i = 0; i < 1000; ++i) attach_tangent(vector(), level.level, vector());
  CHECK(level.level->carriers() == 1);
}

TEST_CASE("a saved copy carries what the tensor gets afterwards") {
  const Level level;
  const Tensor t = vector(), copy = vector(), tangent = vector();
  share_companion(t, copy);
  CHECK_FALSE(has_key(copy));
  attach_tangent(t, level.level, tangent);
  refresh_forward_key(copy);
  CHECK(has_key(copy));
  CHECK(find_tangent(copy, 1)->value.is_same(tangent));
}

TEST_CASE("levels are closed from the inside out") {
  CHECK_THROWS_WITH(leave_tangent_level(),
                    "forward-mode differentiation: there is no level to leave");
  CHECK_THROWS_WITH(open_tangent_level(1),
                    "forward-mode differentiation: level 1 is not open in this thread");
}

}  // namespace
}  // namespace opweave
