// Recording: lists of results, operators without a gradient.
#include "runtime/autograd/record.h"

#include <string>

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

class NotImplemented final : public Node {
 public:
  explicit NotImplemented(std::string_view op) : op_(op) {}
  const char* name() const override { return "NotImplemented"; }
  TensorVec apply(TensorVec&&) override {
    OW_THROW(ErrorKind::kNotImplemented, "the derivative for '", op_, "' is not implemented.");
  }

 private:
  std::string op_;
};

}  // namespace

void fail_given_back(std::string_view op) {
  OW_THROW(ErrorKind::kRuntime, op,
           "(): the kernel returned a tensor that is not its own, such as an argument, and would "
           "become its history: return a new one, or alias() of it");
}

void set_history(const std::vector<Tensor>& results, Node* node) {
  for (const Tensor& t : results) set_history(t, node);
}

void skip_history(const std::vector<Tensor>& results, Node* node) {
  for (const Tensor& t : results) skip_history(t, node);
}

intrusive_ptr<Node> make_not_implemented_node(std::string_view op) {
  return make_node<NotImplemented>(op);
}

namespace {

Tensor zeros_as(const GradMetadata& wanted) {
  return engine_ops::full(wanted.sizes(), 0, wanted.dtype(), wanted.device());
}

// Inside a CopySlices the first edge leads to the base, but the gradient is the view's.
bool writes_a_view(const Node& node) {
  return node.extras() != nullptr && node.extras()->copy_slices != nullptr;
}

// The node of a result that does not depend on what was there before: the gradient ends in zeros.
class Overwritten final : public Node {
 public:
  explicit Overwritten(const char* name) : name_(name) {}
  const char* name() const override { return name_; }
  TensorVec apply(TensorVec&& grads) override;

 private:
  const char* name_;
};

}  // namespace

Tensor zeros_for_input(const Node& node, size_t i, const Tensor& like) {
  const Edge& edge = node.next_edge(i);
  if (i == 0 && writes_a_view(node)) return zeros_as(node.input_metadata(0));
  if (edge && edge.function->input_metadata(edge.input_nr).defined()) {
    return zeros_as(edge.function->input_metadata(edge.input_nr));
  }
  return engine_ops::zeros_like(like);
}

Tensor gradient_or_zeros(const Node& node, const TensorVec& grads, size_t i) {
  return grads[i].defined() ? grads[i] : zeros_as(node.input_metadata(i));
}

TensorVec Overwritten::apply(TensorVec&& grads) {
  TensorVec zeros(next_edges().size());
  for (size_t i = 0; i < zeros.size(); ++i) {
    if (should_compute_output(i)) zeros[i] = zeros_for_input(*this, i, grads[0]);
  }
  return zeros;
}

intrusive_ptr<Node> make_overwritten_node(const char* name) { return make_node<Overwritten>(name); }

}  // namespace opweave
