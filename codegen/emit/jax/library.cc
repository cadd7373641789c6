// Which operators a package has, and how each comes to its result.
#include <algorithm>
#include <set>
#include <utility>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/functionalities/autograd_node.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
#define OPWEAVE_JAX_OPERATOR(identifier, function) {#identifier, function},
#include "codegen/emit/jax/operators.def"
};

const std::string& identifier_of(const Operator* op) { return op->name.identifier; }

// The operators of the core that are printed because others call them, and those that they call.
class Called {
 public:
  void add_calls_of(const Operator& op) {
    for_each_jax_formula(op, [this](const FormulaNode& formula) {
      std::vector<const Operator*> calls;
      add_called(formula, calls);
      for (const Operator* call : calls) add(expression_of(*call));
    });
  }

  std::vector<const Operator*> sorted() && {
    std::ranges::sort(found_, {}, identifier_of);
    return std::move(found_);
  }

 private:
  void add(const Operator& op) {
    const JaxWay way = jax_way(op);
    if (op.is_emitted() || (way != JaxWay::expression && way != JaxWay::composite)) return;
    if (!seen_.insert(&op).second) return;
    found_.push_back(&op);
    add_calls_of(op);
  }

  std::set<const Operator*> seen_;
  std::vector<const Operator*> found_;
};

}  // namespace

JaxLibrary jax_library(const Model& model, const EmitOptions& options) {
  JaxLibrary library{model, options, extension_operators(model), {}, options.library + "_jax"};
  Called called;
  for (const Operator* op : library.operators) called.add_calls_of(*op);
  library.called = std::move(called).sorted();
  return library;
}

std::string_view jax_function(const Operator& op) {
  if (op.is_emitted() || op.is_expr()) return {};
  const auto found = std::ranges::find(kFunctions, op.name.identifier,
                                       &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kFunctions) ? std::string_view() : found->second;
}

JaxWay jax_way(const Operator& op) {
  if (op.is_expr()) return JaxWay::expression;
  if (!jax_function(op).empty()) return JaxWay::table;
  if (op.formulas->composite != nullptr) return JaxWay::composite;
  if (op.is_emitted()) return op.has_hardware_kernel() ? JaxWay::kernel : JaxWay::none;
  return &expression_of(op) == &op ? JaxWay::none : JaxWay::expression;
}

const Operator& expression_of(const Operator& op) {
  const Operator* other = op.forms->elements_of;
  const bool stands_for_it = !op.is_expr() && jax_function(op).empty() && other != nullptr &&
                             other->is_expr() &&
                             other->schema.arguments.size() == op.schema.arguments.size();
  return stands_for_it ? *other : op;
}

void for_each_jax_formula(const Operator& op,
                          const std::function<void(const FormulaNode&)>& visit) {
  if (op.formulas->composite != nullptr) visit(*op.formulas->composite);
  if (op.origin.imported && !has_jax_formulas(op)) return;  // JAX differentiates it
  if (op.formulas->batching != nullptr) visit(*op.formulas->batching);
  for (const FormulaNode* formula : op.lowered->formulas()) visit(*formula);
}

std::string jax_name(const Operator& op, size_t argument) {
  return schema::python_identifier(op.schema.arguments[argument].name);
}

std::string jax_names(const Operator& op, const std::vector<uint16_t>& arguments) {
  return "[" + comma_list(arguments, [&](uint16_t i) { return quoted(jax_name(op, i)); }) + "]";
}

}  // namespace opweave::codegen
