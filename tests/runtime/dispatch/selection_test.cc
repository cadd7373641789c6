// Traces of calls, and builds that have left something out.
#include <doctest/doctest.h>

#include "runtime/core/base/error.h"
#include "tests/runtime/dispatch/test_operator.h"

namespace opweave::test {
namespace {

Tensor add_n(const Tensor& self, int64_t n) { return number(value_of(self) + n); }

struct Registered {
  Registered() {
    OperatorEntry* const entries[] = {&Probe::entry};
    register_operators(entries);
    set(backend_key(kCPU), &add_n);
  }
  ~Registered() { unregister_operator(Probe::entry); }
};

TEST_CASE_FIXTURE(Registered, "a trace notes operators, dtypes and targets") {
  start_trace();
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  CHECK(stop_trace() ==
        "# The operators that a program called, on: cpu\n"
        "dtypes: [int64]\n"
        "operators:\n"
        "- {name: probe, dtypes: [int64]}  # cpu\n");
  Probe::call(number(2), 3);
  start_trace();
  CHECK(stop_trace() == "# The operators that a program called, on: \noperators: []\n");
}

TEST_CASE_FIXTURE(Registered, "one trace at a time, ended where it was begun") {
  CHECK_THROWS_WITH_AS(stop_trace(), "no trace of operators is running in this thread", Error);
  start_trace();
  CHECK_THROWS_WITH_AS(start_trace(), "a trace of operators is running already", Error);
  stop_trace();
}

TEST_CASE_FIXTURE(Registered, "without gradients, a call that would be recorded is refused") {
  static constexpr std::string_view names[] = {"addmm", "pow.Scalar"};
  register_left_out("", "some.yaml", names, /*gradients=*/false);
  const auto call = [] {
    IncludeDispatchKeys include(DispatchKey::kAutograd);
    Probe::call(number(2), 3);
  };
  CHECK_THROWS_WITH_AS(
      call(),
      "probe(): this build has no gradients (selection some.yaml), but an argument requires one: "
      "call it under no_grad(), or remove `gradients: false`",
      Error);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  CHECK(left_out_message("pow").find("'pow' was left out of this build (selection some.yaml)") !=
        std::string::npos);
  CHECK(left_out_message("pow.Scalar").find("add `- pow.Scalar`") != std::string::npos);
  CHECK(left_out_message("pow.Tensor").empty());
  // A library says what it has left out itself.
  static constexpr std::string_view own[] = {"pow"};
  register_left_out("mine::", "mine.yaml", own, /*gradients=*/true);
  CHECK(left_out_message("mine::pow") ==
        "operator 'pow' was left out of this build (selection mine.yaml): add `- pow` under "
        "operators");
  CHECK(left_out_message("other::pow").empty());
  CHECK(left_out_message("addmm").find("(selection some.yaml)") != std::string::npos);
  CHECK_THROWS_WITH_AS(fail_left_out("mine::pow"), left_out_message("mine::pow").c_str(), Error);
  remove_fallback(DispatchKey::kAutograd);
}

}  // namespace
}  // namespace opweave::test
