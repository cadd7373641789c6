// A library with the operators of some.yaml: they compute and are differentiated, others say why
// they do not.
#include <doctest/doctest.h>

#include <cmath>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones.h"
#include "opweave/ops/silu.h"
#include "opweave/ops/softmax.h"
#include "opweave/ops/sum.h"
#include "runtime/autograd/api.h"
#include "runtime/core/base/error.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

struct Initialized {
  Initialized() { initialize(); }
};

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kNotImplemented);
    return e.what();
  }
  return "";
}

Tensor ones(ScalarType dtype) {
  const int64_t sizes[] = {2, 3};
  return opweave::ones(sizes, dtype);
}

TEST_CASE_FIXTURE(Initialized, "what was selected computes and is differentiated") {
  Tensor x = ones(kFloat);
  set_requires_grad(x, true);
  const Tensor y = opweave::sum(opweave::silu(x));
  const double sigmoid = 1 / (1 + std::exp(-1.0));
  CHECK(y.data<float>()[0] == doctest::Approx(6 * sigmoid));
  const Tensor roots[] = {y};
  backward(roots);
  CHECK(grad_of(x).data<float>()[5] == doctest::Approx(sigmoid * (2 - sigmoid)));
  CHECK(opweave::softmax(ones(kFloat), 1).data<float>()[0] == doctest::Approx(1.0 / 3));
}

TEST_CASE_FIXTURE(Initialized, "a dtype that was left out says so, and where to add it") {
  CHECK(opweave::mul(ones(kFloat), ones(kFloat)).data<float>()[0] == 1);
  CHECK(error_of([] { opweave::mul(ones(kLong), ones(kLong)); }) ==
        "mul was built without int64 (selection some.yaml): add int64 to its dtypes");
  CHECK(error_of([] { opweave::silu(ones(kDouble)); }) ==
        "silu was built without float64 (selection some.yaml): add float64 to the dtypes of the "
        "selection");
  // What an operator never had is another matter.
  CHECK(error_of([] { opweave::silu(ones(kBool)); }) == "\"silu\" not implemented for 'Bool'");
}

TEST_CASE_FIXTURE(Initialized, "an operator that was left out is known by name") {
  CHECK(find_operator("silu") != nullptr);
  CHECK(find_operator("addmm") == nullptr);
  const std::string message =
      "operator 'addmm' was left out of this build (selection some.yaml): add `- addmm` under "
      "operators";
  CHECK(left_out_message("addmm") == message);
  CHECK(error_of([] { fail_left_out("addmm"); }) == message);
  CHECK(left_out_message("silu") == "");
  CHECK(left_out_message("no_such_operator") == "");
}

// The runtime of the whole library has over a thousand; forms and what others need are in.
TEST_CASE_FIXTURE(Initialized, "the library is small") { CHECK(all_operators().size() < 250); }

}  // namespace
}  // namespace opweave
