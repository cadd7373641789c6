// A definition with one call that its schema does not bear.
#include "opweave/stable/library.h"
using namespace opweave::stable;

static Operator mul("mul.Tensor(Tensor self, Tensor other) -> Tensor");
static Tensor same(const Tensor& self) { return mul(self, self); }
static void gradient(const Backward& call) { call.set(0, call.gradient()); }

OPWEAVE_STABLE_LIBRARY(by_hand, library) {
  library.define("f(Tensor self) -> Tensor").kernel("cpu", &same).gradient(&gradient).CALL;
}
