// Recording: lists of results, operators without a gradient.
#include "runtime/autograd/record.h"

#include <string>

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/error.h"

namespace opweave {
namespace {

class NotImplemented final : public Node {
 public:
  explicit NotImplemented(std::string_view op) : op_(op) {}
  const char* name() const override { return "NotImplemented"; }
  TensorVec apply(TensorVec&&) override {
    OW_THROW(ErrorKind::kRuntime, "the derivative for '", op_, "' is not implemented.");
  }

 private:
  std::string op_;
};

}  // namespace

void set_history(const std::vector<Tensor>& results, Node* node) {
  for (const Tensor& t : results) set_history(t, node);
}

void skip_history(const std::vector<Tensor>& results, Node* node) {
  for (const Tensor& t : results) skip_history(t, node);
}

intrusive_ptr<Node> make_not_implemented_node(std::string_view op) {
  return make_node<NotImplemented>(op);
}

Tensor zeros_for_input(const Node& node, size_t i, const Tensor& like) {
  const Edge& edge = node.next_edge(i);
  if (edge && edge.function->input_metadata(edge.input_nr).defined()) {
    const GradMetadata& wanted = edge.function->input_metadata(edge.input_nr);
    return engine_ops::full(wanted.sizes(), 0, wanted.dtype(), wanted.device());
  }
  return engine_ops::full(like.sizes(), 0, like.dtype(), like.device());
}

}  // namespace opweave
