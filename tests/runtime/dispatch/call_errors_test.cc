// Errors of calls name operator, argument and types, as the operator's record says them.
#include <doctest/doctest.h>

#include <string>

#include "tests/runtime/dispatch/test_operator.h"

namespace opweave::test {
namespace {

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

std::string message_of_call(Stack stack) {
  return message_of([&] { Probe::entry.call(stack); });
}

struct Kernel {
  Kernel() {
    set(backend_key(kCPU),
        [](const Tensor& self, int64_t n) { return number(value_of(self) + n); });
  }
  ~Kernel() { Probe::entry.remove_kernel(backend_key(kCPU)); }
};

TEST_CASE("arguments on the stack") {
  const Kernel kernel;
  CHECK(message_of_call({number(1), int64_t{2}}) == "no error");
  CHECK(message_of_call({number(1), true}) == "no error");
  CHECK(message_of_call({number(1), 2.5}) ==
        "probe(): argument 'n' (position 2) must be int, not float. "
        "Schema: probe(Tensor self, int n) -> Tensor");
  CHECK(message_of_call({number(1), {}}) ==
        "probe(): argument 'n' (position 2) must be int, not None. "
        "Schema: probe(Tensor self, int n) -> Tensor");
  CHECK(message_of_call({std::vector<Tensor>{number(1)}, int64_t{2}}) ==
        "probe(): argument 'self' (position 1) must be Tensor, not Tensor[]. "
        "Schema: probe(Tensor self, int n) -> Tensor");
  CHECK(message_of_call({number(1)}) ==
        "probe(): expected 2 boxed arguments but got 1. "
        "Schema: probe(Tensor self, int n) -> Tensor");
}

TEST_CASE("an error of the kernel itself stays what it is") {
  set(backend_key(kCPU),
      [](const Tensor&, int64_t) -> Tensor { OW_THROW(ErrorKind::kType, "its own"); });
  CHECK(message_of_call({number(1), int64_t{2}}) == "its own");
  Probe::entry.remove_kernel(backend_key(kCPU));
}

TEST_CASE("results of a boxed kernel") {
  const auto message_of_results = [](const Stack& results) {
    Probe::entry.set_boxed_kernel(backend_key(kCPU), [results](const OperatorEntry&, DispatchKeySet,
                                                               Stack& stack) { stack = results; });
    const std::string message = message_of([] { Probe::call(number(1), 2); });
    Probe::entry.remove_kernel(backend_key(kCPU));
    return message;
  };
  CHECK(message_of_results({number(1)}) == "no error");
  CHECK(message_of_results({}) == "a boxed kernel of probe() left 0 results instead of 1");
  CHECK(message_of_results({int64_t{1}}) ==
        "a boxed kernel of probe() left int as result 0, which is Tensor. "
        "Schema: probe(Tensor self, int n) -> Tensor");
}

TEST_CASE("a kernel that is missing: which arguments chose the target") {
  CHECK(message_of([] {
          Probe::call(number(1), 2);
        }).find("It has kernels for: nothing. The target is that of 'self' (Tensor). To supply") !=
        std::string::npos);
  const DispatchKeySet both =
      DispatchKeySet(backend_key(kCPU)) | DispatchKeySet(backend_key(kMeta));
  CHECK(message_of([&] {
          Probe::entry.lookup<Probe::Signature>(both);
        }).find("Its arguments 'self' (Tensor) are on several: 'cpu', 'meta'. To supply") !=
        std::string::npos);
  CHECK(message_of([] { Probe::call(Tensor(), 2); }) ==
        "probe(): there is no tensor among its arguments 'self' (Tensor) to choose a kernel by. "
        "Schema: probe(Tensor self, int n) -> Tensor");
}

}  // namespace
}  // namespace opweave::test
