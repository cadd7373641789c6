// A small operator, `probe(Tensor self, int n) -> Tensor`, declared by hand the way the generator
// does it.
#pragma once

#include "runtime/dispatch/boxing.h"
#include "runtime/dispatch/registry.h"

namespace opweave::test {

struct Probe {
  using Signature = Tensor(const Tensor&, int64_t);
  static OperatorEntry entry;
  static Tensor call(const Tensor& self, int64_t n) {
    return entry.lookup<Signature>(self.key_set())(self, n);
  }
};

inline Tensor probe_boxed(const Tensor& self, int64_t n) {
  return run_boxed<Probe::Signature>(Probe::entry, self.key_set(), self, n);
}
inline constexpr ArgumentRecord probe_arguments[] = {
    {.name = "self"}, {.name = "n", .type = {.base = BaseType::integer}}};
inline constexpr ReturnRecord probe_returns[] = {{}};
inline const OperatorDef probe_def{"probe",
                                   "",
                                   "probe(Tensor self, int n) -> Tensor",
                                   &boxed_call<Probe::Signature>,
                                   reinterpret_cast<AnyKernel>(&probe_boxed),
                                   reinterpret_cast<AnyKernel>(&Probe::call),
                                   {.arguments = probe_arguments, .returns = probe_returns}};
inline OperatorEntry Probe::entry{probe_def};

// A CPU tensor of one int64.
inline Tensor number(int64_t value) {
  Tensor t = make_tensor({}, kLong, kCPU);
  *t.data<int64_t>() = value;
  return t;
}
inline int64_t value_of(const Tensor& t) { return *t.data<int64_t>(); }

inline void set(DispatchKey key, Probe::Signature* kernel) {
  Probe::entry.set_kernel(key, reinterpret_cast<AnyKernel>(kernel));
}

}  // namespace opweave::test
