// Values that are read as another type, and results that are none: each call is refused by name.
#include <tuple>

#include "opweave/stable/library.h"
using namespace opweave::stable;

static Operator mul("mul.Tensor(Tensor self, Tensor other) -> Tensor");
static Operator sum("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor");
static Operator split("split.Tensor(Tensor(a) self, int split_size, int dim=0) -> Tensor(a)[]");
static Operator topk(
    "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
    "Tensor indices)");

static double as_double(const Tensor& self) { return sum.call<double>(self); }
static int64_t as_int(const Tensor& self) { return sum.call<int64_t>(self); }
static bool as_bool(const Tensor& self) { return sum.call<bool>(self); }
static std::vector<Tensor> as_list(const Tensor& self) {
  return sum.call<std::vector<Tensor>>(self);
}
static Tensor of_list(const Tensor& self) { return split(self, 1); }
static int64_t of_pair(const Tensor& self) {
  return std::get<1>(topk.call<std::tuple<Tensor, int64_t>>(self, 1));
}
static Tensor no_tensor(const Tensor&) { return {}; }
static Tensor no_device(const Tensor&) { return Tensor::empty({2}, kFloat32, {77, 3}); }
static Tensor no_index(const Tensor&) { return Tensor::empty({2}, kFloat32, {0, 300}); }
static int64_t no_dim(const Tensor& self) { return self.size(7); }
static int64_t no_stride(const Tensor& self) { return self.stride(-2); }

static Tensor scaled(const Tensor& self, double) { return mul(self, self); }
static void tensor_as_number(const Backward& call) { call.saved<double>(0); }
static void far_gradient(const Backward& call) { call.set(0, call.gradient(5)); }
static void far_needs(const Backward& call) {
  if (call.needs(99)) call.set(0, call.gradient());
}
static void number_as_tensor(const Backward& call) { call.saved<Tensor>(1); }

OPWEAVE_STABLE_LIBRARY(mistakes, library) {
  library.define("as_double(Tensor self) -> float").kernel("cpu", &as_double);
  library.define("as_int(Tensor self) -> int").kernel("cpu", &as_int);
  library.define("as_bool(Tensor self) -> bool").kernel("cpu", &as_bool);
  library.define("as_list(Tensor self) -> Tensor[]").kernel("cpu", &as_list);
  library.define("of_list(Tensor self) -> Tensor").kernel("cpu", &of_list);
  library.define("of_pair(Tensor self) -> int").kernel("cpu", &of_pair);
  library.define("no_tensor(Tensor self) -> Tensor").kernel("cpu", &no_tensor);
  library.define("no_device(Tensor self) -> Tensor").kernel("cpu", &no_device);
  library.define("no_index(Tensor self) -> Tensor").kernel("cpu", &no_index);
  library.define("no_dim(Tensor self) -> int").kernel("cpu", &no_dim);
  library.define("no_stride(Tensor self) -> int").kernel("cpu", &no_stride);
  library.define("saved_tensor(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .save_argument(0)
      .gradient(&tensor_as_number);
  library.define("far_gradient(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .gradient(&far_gradient);
  library.define("far_needs(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .gradient(&far_needs);
  library.define("no_gradient(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .gradient(nullptr);
  library.define("saved_number(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .save_argument(0)
      .save_argument(1)
      .gradient(&number_as_tensor);
}
