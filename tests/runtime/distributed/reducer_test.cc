// The reducer of data-parallel training, with ranks as threads of one process: what a sanitizer of
// threads sees of it.
#include "runtime/distributed/training/reducer.h"

#include <doctest/doctest.h>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/add.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/sum.h"
#include "runtime/autograd/api.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/distributed/backends/groups/group.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"
#include "tests/runtime/distributed/support.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

constexpr int kRanks = 2;
constexpr size_t kLayers = 6;
constexpr int64_t kWidth = 3000;

Tensor full(double value, bool is_parameter = false) {
  Tensor x = make_tensor({kWidth}, kFloat, host_device());
  auto* data = static_cast<float*>(x.raw_data());
  for (int64_t i = 0; i < kWidth; ++i) data[i] = static_cast<float>(value);
  if (is_parameter) set_requires_grad(x, true);
  return x;
}

// What all elements are.
double value_of(const Tensor& x) {
  const auto* data = static_cast<const float*>(x.raw_data());
  for (int64_t i = 1; i < x.numel(); ++i) CHECK(data[i] == data[0]);
  return static_cast<double>(data[0]);
}

// The sum over layers of (1 + layer) * input * parameter: the gradient of a parameter is (1 +
// layer) * input.
struct Model {
  std::vector<Tensor> parameters;
  std::vector<std::string> names;
  std::shared_ptr<Reducer> reducer;

  Model(const ProcessGroupPtr& group, const ReducerOptions& options) {
    for (size_t i = 0; i < kLayers; ++i) {
      parameters.push_back(full(1, true));
      names.push_back("layer" + std::to_string(i));
    }
    reducer = Reducer::make(parameters, names, group, options);
  }

  // Without the parameter of `left_out`.
  Tensor loss(double input, size_t left_out = kLayers) {
    Tensor total;
    for (size_t i = 0; i < kLayers; ++i) {
      if (i == left_out) continue;
      const Tensor part =
          opweave::mul(opweave::mul(parameters[i], full(input)), full(static_cast<double>(i + 1)));
      total = total.defined() ? opweave::add(total, part) : part;
    }
    const Tensor out = opweave::sum(total);
    reducer->prepare_for_backward({out});
    return out;
  }
};

void on_ranks(const char* backend, const std::function<void(ProcessGroupPtr, int)>& body) {
  initialize();
  set_num_threads(1);
  const auto store = std::make_shared<HashStore>();
  in_threads(kRanks, [&](int rank) {
    const BackendContext context{store, "ranks", rank, kRanks, Milliseconds(60'000)};
    body(std::make_shared<Group>(context, std::vector<Route>{{{}, make_backend(backend, context)}}),
         rank);
  });
}

const char* const kBackends[] = {"shm", "gloo"};

// A gradient fills half of a bucket.
ReducerOptions small_buckets() { return {.limits = {kWidth * 4, kWidth * 8}}; }

}  // namespace

TEST_CASE("gradients are averages on all ranks, pass after pass") {
  for (const char* backend : kBackends) {
    for (const bool views : {false, true}) {
      on_ranks(backend, [&](const ProcessGroupPtr& group, int rank) {
        ReducerOptions options = small_buckets();
        options.gradients_are_views = views;
        Model model(group, options);
        for (int pass = 0; pass < 5; ++pass) {
          for (const Tensor& p : model.parameters) set_grad(p, Tensor());
          backward({model.loss(rank + pass)});
          for (size_t i = 0; i < kLayers; ++i)
            CHECK(value_of(grad_of(model.parameters[i])) ==
                  doctest::Approx(static_cast<double>(i + 1) * (pass + 0.5)));
        }
        CHECK(model.reducer->statistics().buckets.size() >= kLayers / 2);
        CHECK(model.reducer->is_rebuilt());
      });
    }
  }
}

TEST_CASE("parameters that a rank does not use count as zeros") {
  for (const char* backend : kBackends) {
    on_ranks(backend, [&](const ProcessGroupPtr& group, int rank) {
      ReducerOptions options = small_buckets();
      options.finds_unused = true;
      Model model(group, options);
      for (size_t left_out = 0; left_out < kLayers; ++left_out) {
        for (const Tensor& p : model.parameters) set_grad(p, Tensor());
        backward({model.loss(1, rank == 0 ? left_out : kLayers)});
        for (size_t i = 0; i < kLayers; ++i)
          CHECK(value_of(grad_of(model.parameters[i])) ==
                doctest::Approx(static_cast<double>(i + 1) * (i == left_out ? 0.5 : 1)));
      }
    });
  }
}

namespace {

// Twice the average, which it takes from the usual hook.
class Doubling final : public CommHook {
 public:
  std::unique_ptr<Reduction> start(GradBucket bucket) override {
    return std::make_unique<Twice>(average_->start(std::move(bucket)));
  }

 private:
  struct Twice final : Reduction {
    explicit Twice(std::unique_ptr<Reduction> half) : half(std::move(half)) {}
    Tensor wait() override {
      const Tensor result = half->wait();
      return opweave::add(result, result);
    }
    Clock::time_point ended() const override { return half->ended(); }
    std::unique_ptr<Reduction> half;
  };
  const std::unique_ptr<CommHook> average_ = average_hook();
};

}  // namespace

TEST_CASE("a hook in C++") {
  on_ranks("shm", [&](const ProcessGroupPtr& group, int rank) {
    Model model(group, small_buckets());
    model.reducer->set_hook(std::make_unique<Doubling>());
    backward({model.loss(rank)});
    for (size_t i = 0; i < kLayers; ++i)
      CHECK(value_of(grad_of(model.parameters[i])) == doctest::Approx(static_cast<double>(i + 1)));
  });
}

TEST_CASE("a backward pass that fails on one rank ends the group for the others") {
  for (const char* backend : kBackends) {
    on_ranks(backend, [&](const ProcessGroupPtr& group, int rank) {
      Model model(group, small_buckets());
      const Tensor out = model.loss(1);
      if (rank == 1)
        register_hook(model.parameters[0], [](const Tensor&) -> Tensor {
          throw std::runtime_error("no gradient today");
        });
      try {
        backward({out});
        FAIL("it has to fail");
      } catch (const std::exception& error) {
        CHECK(std::string(error.what()).find("no gradient today") != std::string::npos);
      }
    });
  }
}
