// Dispatch entries of the handwritten operators: X_op::call() dispatches as generated code does.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/dispatch/registry.h"

namespace opweave::test {

template <class T>
DispatchKeySet keys(const T&) {
  return {};
}
inline DispatchKeySet keys(const Tensor& t) { return t.key_set(); }

template <class Tag, class Signature>
struct Operator;
template <class Tag, class R, class... Args>
struct Operator<Tag, R(Args...)> {
  using Kernel = R (*)(Args...);
  static R call(Args... args) {
    return entry.template lookup<R(Args...)>((keys(args) | ...))(std::forward<Args>(args)...);
  }
  static void define(Kernel everywhere) {
    entry.set_composite_kernel(reinterpret_cast<AnyKernel>(everywhere));
    OperatorEntry* entries[] = {&entry};
    opweave::register_operators(entries);
  }
  static void track(Kernel autograd, Kernel tracking = nullptr) {
    entry.set_kernel(DispatchKey::kAutograd, reinterpret_cast<AnyKernel>(autograd));
    if (tracking == nullptr) return;
    entry.set_kernel(DispatchKey::kADInplaceOrView, reinterpret_cast<AnyKernel>(tracking));
  }
  static inline const OperatorDef def{Tag::name, Tag::overload, Tag::schema(),
                                      nullptr,   nullptr,       reinterpret_cast<AnyKernel>(&call)};
  static inline OperatorEntry entry{def};
};

#define TEST_OPERATOR(id, op, over, text, ...)                \
  struct id##_tag {                                           \
    static constexpr const char *name = op, *overload = over; \
    static const char* schema() { return text; }              \
  };                                                          \
  using id##_op = Operator<id##_tag, __VA_ARGS__>;

TEST_OPERATOR(add, "add", "Tensor",
              "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
              Tensor(const Tensor&, const Tensor&, const Scalar&))
TEST_OPERATOR(add_, "add_", "Tensor",
              "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
              Tensor&(Tensor&, const Tensor&, const Scalar&))
TEST_OPERATOR(copy_, "copy_", "",
              "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
              Tensor&(Tensor&, const Tensor&, bool))
TEST_OPERATOR(as_strided, "as_strided", "",
              "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
              "storage_offset=None) -> Tensor(a)",
              Tensor(const Tensor&, IntList, IntList, std::optional<int64_t>))
TEST_OPERATOR(sum_to_size, "sum_to_size", "", "sum_to_size(Tensor self, SymInt[] size) -> Tensor",
              Tensor(const Tensor&, IntList))
TEST_OPERATOR(fill_, "fill_", "Scalar", "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
              Tensor&(Tensor&, const Scalar&))
TEST_OPERATOR(isnan, "isnan", "", "isnan(Tensor self) -> Tensor", Tensor(const Tensor&))
TEST_OPERATOR(any, "any", "", "any(Tensor self) -> Tensor", Tensor(const Tensor&))
TEST_OPERATOR(item, "_local_scalar_dense", "", "_local_scalar_dense(Tensor self) -> Scalar",
              Scalar(const Tensor&))
TEST_OPERATOR(mul, "mul", "Tensor", "mul.Tensor(Tensor self, Tensor other) -> Tensor",
              Tensor(const Tensor&, const Tensor&))
TEST_OPERATOR(mul_, "mul_", "Tensor", "mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
              Tensor&(Tensor&, const Tensor&))
TEST_OPERATOR(exp, "exp", "", "exp(Tensor self) -> Tensor", Tensor(const Tensor&))
TEST_OPERATOR(exp_, "exp_", "", "exp_(Tensor(a!) self) -> Tensor(a!)", Tensor&(Tensor&))
TEST_OPERATOR(log, "log", "", "log(Tensor self) -> Tensor", Tensor(const Tensor&))
TEST_OPERATOR(reciprocal, "reciprocal", "", "reciprocal(Tensor self) -> Tensor",
              Tensor(const Tensor&))
TEST_OPERATOR(sum, "sum", "", "sum(Tensor self) -> Tensor", Tensor(const Tensor&))
TEST_OPERATOR(expand, "expand", "", "expand(Tensor(a) self, int[] size) -> Tensor(a)",
              Tensor(const Tensor&, IntList))
TEST_OPERATOR(unbind, "unbind", "", "unbind(Tensor(a) self) -> Tensor(a)[]",
              std::vector<Tensor>(const Tensor&))

#undef TEST_OPERATOR

// Adds reference kernels, and then autograd kernels, to the entries.
void define_kernels();
void define_autograd();

}  // namespace opweave::test
