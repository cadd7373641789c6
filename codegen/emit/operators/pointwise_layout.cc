// Arguments of pointwise kernels.
#include "codegen/emit/operators/pointwise_layout.h"

#include <algorithm>
#include <functional>
#include <set>

#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

void visit_once(const ElementNode& node, std::set<const ElementNode*>& seen,
                const std::function<void(const ElementNode&)>& visit) {
  if (!seen.insert(&node).second) return;
  for (const ElementNode* operand : node.operands) visit_once(*operand, seen, visit);
  visit(node);
}

std::string sanitized(const std::string& text) {
  std::string out;
  for (char c : text) out.push_back(std::isalnum(static_cast<unsigned char>(c)) ? c : '_');
  return out;
}

}  // namespace

bool has_pointwise_kernel(const Operator& op) {
  return op.is_expr() && op.forms->form == Form::functional && op.is_emitted();
}

PointwiseLayout pointwise_layout(const Operator& op) {
  PointwiseLayout layout;
  const auto& arguments = op.schema.arguments;
  for (uint16_t i = 0; i < arguments.size(); ++i) {
    const ElementArgument& used = op.elements->arguments[i];
    if (arguments[i].type.is_tensor()) {
      layout.inputs.push_back(i);
    } else if (used.used && has_elements(arguments[i].type)) {
      layout.params.push_back({PointwiseParam::Kind::value, i, "", variable(arguments[i].name)});
    }
  }
  std::vector<PointwiseParam> flags;
  std::set<const ElementNode*> seen;
  const auto visit = [&](const ElementNode& node) {
    if (node.op == ElementOp::has_value) {
      flags.push_back({PointwiseParam::Kind::has_value, node.index, "",
                       "has_" + variable(arguments[node.index].name)});
    } else if (node.op == ElementOp::string_equals) {
      flags.push_back(
          {PointwiseParam::Kind::string_equals, node.index, std::string(node.text),
           variable(arguments[node.index].name) + "_is_" + sanitized(std::string(node.text))});
    }
  };
  if (op.is_expr()) visit_once(*op.elements->expr, seen, visit);
  if (op.elements->fold != nullptr) {
    for (const ElementNode* result : op.elements->fold->results) visit_once(*result, seen, visit);
  }
  layout.params.insert(layout.params.end(), flags.begin(), flags.end());
  return layout;
}

std::string flag_text(const PointwiseLayout& layout, const ElementNode& question) {
  const auto kind = question.op == ElementOp::has_value ? PointwiseParam::Kind::has_value
                                                        : PointwiseParam::Kind::string_equals;
  for (const PointwiseParam& p : layout.params) {
    if (p.kind == kind && p.argument == question.index && p.text == question.text)
      return "m::to_boolean(" + p.name + ")";
  }
  return {};  // not reached: the layout holds every flag of the expression
}

std::string param_expression(const PointwiseParam& param, const Signature& signature) {
  const Parameter& p = signature.parameters[param.argument];
  switch (param.kind) {
    case PointwiseParam::Kind::has_value:
      return "Scalar(" + p.name + (p.argument->type.is_tensor() ? ".defined())" : ".has_value())");
    case PointwiseParam::Kind::string_equals:
      return "Scalar(" + p.name + " == " + quoted(param.text) + ")";
    default:
      break;
  }
  // A number that was not given must not promote: false changes no type.
  if (p.argument->type.optional) return "Scalar(" + p.name + ".value_or(false))";
  return p.argument->type.base == BaseType::scalar ? p.name : "Scalar(" + p.name + ")";
}

}  // namespace opweave::codegen
