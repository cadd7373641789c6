// What results look like, and what calls have to fulfil, as mathematics.
#include <algorithm>
#include <set>

#include "codegen/expr/formula_checker.h"
#include "codegen/math/operator_math.h"
#include "codegen/math/shared_values.h"

namespace opweave::codegen {
namespace {

Math of_result(std::string_view what, const Operator& op, size_t index) {
  return make_math(MathKind::access, std::string(what),
                   {make_math(MathKind::name, result_name(op.schema, index))});
}

// All tensors broadcast.
std::vector<Math> broadcast_math(const Operator& op) {
  std::vector<Math> sizes;
  for (uint16_t i : op.tensor_arguments())
    sizes.push_back(make_math(MathKind::access, "sizes", {math_name(op.schema.arguments[i].name)}));
  Math value = sizes[0];
  if (sizes.size() > 1) {
    sizes.insert(sizes.begin(), make_math(MathKind::name, "broadcast"));
    value = make_math(MathKind::call, std::move(sizes));
  }
  return {make_math(MathKind::equals, {of_result("sizes", op, 0), std::move(value)})};
}

// Like those of a formula over operators.
std::vector<Math> like_math(const Operator& op) {
  const FormulaNode& like = *op.rule->like;
  const size_t count = op.schema.returns.size();
  std::vector<Math> all;
  for (size_t i = 0; i < count; ++i) {
    if (count > 1 && like.kind != FormulaKind::tuple) continue;
    const FormulaNode& one = count > 1 ? like.operand(i) : like;
    all.push_back(make_math(MathKind::equals,
                            {of_result("sizes", op, i),
                             make_math(MathKind::access, "sizes", {formula_math(one, op)})}));
  }
  return all;
}

void collect_names(const MathNode& node, std::set<std::string>& names) {
  if (node.kind == MathKind::name) names.insert(node.text);
  for (const Math& part : node.parts) collect_names(*part, names);
}

}  // namespace

std::vector<Math> shape_math(const Operator& op) {
  if (op.is_expr()) return broadcast_math(op);
  if (!op.rule) return {};
  if (op.rule->like) return like_math(op);
  std::vector<Math> all;
  for (size_t i = 0; i < op.rule->outputs.size(); ++i) {
    const OutputRule& output = op.rule->outputs[i];
    const auto add = [&](std::string_view what, const FormulaNode* formula) {
      if (!formula) return;
      all.push_back(
          make_math(MathKind::equals, {of_result(what, op, i), formula_math(*formula, op)}));
    };
    add("sizes", output.sizes);
    add("dtype", output.dtype);
    add("strides", output.strides);
    add("offset", output.offset);
    add("exists", output.when);
  }
  return all;
}

std::vector<Math> where_math(const Operator& op, const std::vector<Math>& equations) {
  static const std::vector<FormulaLocal> kNone;
  const auto& locals = op.formulas->composite ? op.formulas->parts
                       : op.rule              ? op.rule->locals
                                              : kNone;
  std::set<std::string> names;
  for (const Math& equation : equations) collect_names(*equation, names);
  std::vector<Math> all;
  // A value reads only those that are named before it.
  for (size_t i = locals.size(); i-- > 0;) {
    const FormulaLocal& local = locals[i];
    const std::string name(local.name);
    if (!names.contains(name) || !is_shared(op, i)) continue;
    const Math value = formula_math(*local.value, op);
    collect_names(*value, names);
    all.push_back(make_math(MathKind::equals, {make_math(MathKind::name, name), value}));
  }
  std::ranges::reverse(all);
  return all;
}

std::vector<Math> requirement_math(const Operator& op) {
  std::vector<Math> all;
  if (!op.rule) return all;
  for (const Requirement& requirement : op.rule->requirements)
    all.push_back(formula_math(*requirement.condition, op));
  return all;
}

}  // namespace opweave::codegen
