// Anomaly mode: the failing function and where its operator was called.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

std::string current_line;
std::string reported;

struct Line : RecordedPlace {
  std::string describe() const override { return line; }
  std::string line = current_line + "\n";
};

struct AnomalyGuard {
  explicit AnomalyGuard(bool check_nan = true) {
    register_operators();
    reported.clear();
    set_anomaly_hooks({[] { return intrusive_ptr<RecordedPlace>(make_intrusive<Line>()); },
                       [](const Node& node) { reported = anomaly_trace(node); }});
    set_anomaly_mode(true, check_nan);
  }
  ~AnomalyGuard() {
    set_anomaly_mode(false);
    set_anomaly_hooks({});
  }
};

TEST_CASE("NaN in a gradient names the function and the line") {
  const Tensor x = scalar(0, true);
  AnomalyGuard anomaly;
  current_line = "model.py:7";
  const Tensor y = log(x);  // gradient 1/0 = inf
  current_line = "model.py:8";
  const Tensor z = mul(y, scalar(0));  // gradient 0, then 0 * inf
  CHECK(message([&] { backward({z}); }) ==
        "Function 'LogBackward0' returned nan values in its 0th output. The operator of "
        "LogBackward0 was called here:\nmodel.py:7\n");
  CHECK(reported == "The operator of LogBackward0 was called here:\nmodel.py:7\n");
}

TEST_CASE("the check for NaN can be left out") {
  const Tensor x = scalar(0, true);
  AnomalyGuard anomaly(/*check_nan=*/false);
  backward({mul(log(x), scalar(0))});
  CHECK(std::to_string(value(grad_of(x))).find("nan") != std::string::npos);
}

TEST_CASE("an error in backward reports where the operator was called") {
  const Tensor x = scalar(2, true);
  AnomalyGuard anomaly;
  current_line = "train.py:3";
  Tensor a = mul(x, scalar(1));
  const Tensor y = mul(a, a);
  fill_(a, 0);
  const std::string text = message([&] { backward({y}); });
  CHECK(contains(text, "modified by an inplace operation"));
  CHECK_FALSE(contains(text, "Hint"));
  CHECK(reported == "The operator of MulBackward0 was called here:\ntrain.py:3\n");
}

TEST_CASE("a node recorded in backward tells where that came from") {
  const Tensor x = scalar(0, true);
  AnomalyGuard anomaly;
  current_line = "forward";
  const Tensor y = log(exp(mul(x, x)));
  current_line = "backward";
  const Tensor dx = gradients({y}, {x}, {}, {.create_graph = true})[0];
  std::string trace = anomaly_trace(*grad_fn(dx));
  CHECK(starts_with(trace, "The operator of "));
  CHECK(contains(trace, "was called here:\nbackward\nThat happened in the backward pass of "));
  CHECK(contains(trace, "whose operator was called here:\nforward\n"));
}

TEST_CASE("without anomaly mode nothing is kept") {
  const Tensor x = scalar(1, true);
  CHECK(grad_fn(mul(x, x))->extras() == nullptr);
}

}  // namespace
}  // namespace opweave::test
