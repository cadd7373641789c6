// What the autograd tests share: expected errors, nodes made of a lambda, counters.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/autograd/generated.h"
#include "runtime/core/base/error.h"

namespace opweave::test {

// The text of the error that f throws; empty when it throws none.
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}
inline bool starts_with(std::string_view text, std::string_view start) {
  return text.starts_with(start);
}
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Copies count the same thing.
class Counter {
 public:
  int count() const { return *count_; }
  void add(int n = 1) const { *count_ += n; }

 private:
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

class LambdaNode final : public Node {
 public:
  using Function = std::function<TensorVec(const TensorVec& grads)>;
  explicit LambdaNode(Function f) : f_(std::move(f)) {}
  const char* name() const override { return "TestBackward"; }
  TensorVec apply(TensorVec&& grads) override { return f_(grads); }

 private:
  Function f_;
};

// A new tensor with the values of the first input, whose gradient is up to `backward`.
inline Tensor recorded(const std::vector<Tensor>& inputs, LambdaNode::Function backward) {
  const auto node = make_node<LambdaNode>(std::move(backward));
  node->collect_next_edges(inputs);
  const Tensor& x = inputs[0];
  const Tensor result = make_alias(x, x.sizes(), x.strides(), x.storage_offset());
  set_history(result, node);
  return result;
}

// The identity; its backward counts.
inline Tensor counted(const Tensor& x, Counter counter) {
  return recorded({x}, [counter](const TensorVec& grads) {
    counter.add();
    TensorVec inputs;
    inputs.push_back(grads[0]);
    return inputs;
  });
}

}  // namespace opweave::test
