// Random graphs: gradients against derivatives that are carried forward.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"

namespace opweave::test {
namespace {

struct Step {
  bool product;
  size_t a, b;  // earlier values
};

struct Graph {
  std::vector<double> leaves;
  std::vector<Step> steps;

  explicit Graph(uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    const size_t num_leaves = 1 + random() % 5, num_steps = 1 + random() % 60;
    for (size_t i = 0; i < num_leaves; ++i) leaves.push_back(value(random));
    for (size_t i = 0; i < num_steps; ++i) {
      const size_t n = num_leaves + i;
      steps.push_back({random() % 2 == 0, random() % n, n - 1 - random() % std::min<size_t>(n, 4)});
    }
  }
  size_t size() const { return leaves.size() + steps.size(); }

  // The derivative of the last value with respect to value `k`.
  double derivative(size_t k) const {
    std::vector<double> v = leaves, d(leaves.size(), 0);
    if (k < d.size()) d[k] = 1;
    for (const Step& s : steps) {
      v.push_back(s.product ? v[s.a] * v[s.b] : v[s.a] + v[s.b]);
      const double slope = s.product ? d[s.a] * v[s.b] + v[s.a] * d[s.b] : d[s.a] + d[s.b];
      d.push_back(v.size() - 1 == k ? 1 : slope);
    }
    return d.back();
  }

  std::vector<Tensor> run() const {
    std::vector<Tensor> t;
    for (double x : leaves) t.push_back(scalar(x, /*requires_grad=*/true));
    for (const Step& s : steps) t.push_back(s.product ? mul(t[s.a], t[s.b]) : add(t[s.a], t[s.b]));
    return t;
  }
};

double or_zero(const Tensor& t) { return t.defined() ? value(t) : 0; }

TEST_CASE("backward() on random graphs") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Graph graph(seed);
    const auto tensors = graph.run();
    backward({tensors.back()});
    for (size_t i = 0; i < graph.leaves.size(); ++i) {
      CHECK(or_zero(grad_of(tensors[i])) == doctest::Approx(graph.derivative(i)).epsilon(1e-9));
    }
  }
}

TEST_CASE("gradients() with respect to any value of random graphs") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Graph graph(seed);
    const auto tensors = graph.run();
    std::mt19937 random(seed);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const size_t k = random() % graph.size();
      const auto found = gradients({tensors.back()}, {tensors[k]}, {},
                                   {.retain_graph = true, .allow_unused = true});
      CHECK(or_zero(found[0]) == doctest::Approx(graph.derivative(k)).epsilon(1e-9));
    }
  }
}

TEST_CASE("the gradient of the gradient on random graphs is symmetric") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Graph graph(seed);
    const auto tensors = graph.run();
    const size_t last = graph.leaves.size() - 1;
    const GradOptions options{.create_graph = true, .materialize_grads = true};
    const auto first = gradients({tensors.back()}, {tensors[0], tensors[last]}, {}, options);
    auto second = [&](const Tensor& gradient, const Tensor& leaf) {
      return gradient.requires_grad() ? value(gradients({gradient}, {leaf}, {}, options)[0]) : 0;
    };
    CHECK(second(first[0], tensors[last]) ==
          doctest::Approx(second(first[1], tensors[0])).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace opweave::test
