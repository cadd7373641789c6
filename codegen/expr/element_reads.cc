// What a typed tree says of the arguments that it reads and of the dtype that it computes in.
#include "codegen/expr/element_checker.h"
#include "codegen/expr/element_walk.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {

std::vector<ElementArgument> element_arguments(std::span<const ElementNode* const> roots,
                                               const Schema& schema) {
  std::vector<ElementArgument> arguments(schema.arguments.size());
  std::vector<bool> read_as_value(schema.arguments.size());
  std::unordered_set<const ElementNode*> seen;
  const auto visit = [&](const ElementNode& node) {
    bool reads_argument = node.op == ElementOp::argument || node.op == ElementOp::has_value ||
                          node.op == ElementOp::string_equals;
    if (reads_argument) arguments[node.index].used = true;
    if (node.op == ElementOp::to_boolean) return;
    for (const ElementNode* operand : node.operands) {
      if (operand->op == ElementOp::argument) read_as_value[operand->index] = true;
    }
  };
  for (const ElementNode* root : roots) {
    walk(*root, seen, visit);
    if (root->op == ElementOp::argument) read_as_value[root->index] = true;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = schema.arguments[i];
    bool is_scalar = argument.type.base == BaseType::scalar && !argument.keyword_only;
    arguments[i].as_boolean = arguments[i].used && !read_as_value[i];
    arguments[i].promotes = read_as_value[i] && (argument.type.is_tensor() || is_scalar);
  }
  return arguments;
}

Promotion derive_promotion(const ElementNode& root) {
  Promotion promotion;
  walk(root, [&](const ElementNode& node) {
    if (node.needs_float) promotion.compute = ComputeRule::int_to_float;
  });
  if (root.type == ElementType::boolean) promotion.result = ResultRule::boolean;
  return promotion;
}

bool is_bitwise(const ElementNode& root) {
  bool found = false;
  walk(root, [&](const ElementNode& node) {
    const Intrinsic* intrinsic = find_intrinsic(node.op);
    found = found || (intrinsic && intrinsic->bitwise);
  });
  return found;
}

}  // namespace opweave::codegen
