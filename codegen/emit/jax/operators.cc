// The file of operators: expressions, rules of kernels, and the formulas of both.
#include "codegen/emit/extension/operators.h"

#include <algorithm>
#include <set>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/dtypes.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rules.h"
#include "codegen/emit/test_samples.h"
#include "codegen/model/forward/forward_terms.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

std::string argument_name(const Operator& op, size_t i) {
  return schema::python_identifier(op.schema.arguments[i].name);
}

std::string parameters(const Operator& op) {
  return comma_list(op.schema.arguments,
                    [](const Argument& a) { return schema::python_identifier(a.name); });
}

template <class Wanted>
std::vector<uint16_t> arguments_where(const Operator& op, Wanted wanted) {
  std::vector<uint16_t> found;
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    if (wanted(i)) found.push_back(i);
  }
  return found;
}

// What formulas read of an operator's tensors and results: their elements, not their sizes alone.
class Reads {
 public:
  explicit Reads(const Operator& op) : op_(op) {
    if (!op.imported && op.derivative != nullptr) add_derivative();
  }
  std::string keeps() const { return jax_names(op_, {arguments_.begin(), arguments_.end()}); }
  std::string keeps_results() const {
    return "[" + comma_list(results_, [](uint16_t i) { return std::to_string(i); }) + "]";
  }

 private:
  void add_derivative() {
    for (const DerivativeFormula& formula : op_.derivative->formulas) {
      if (formula.formula != nullptr) add(*formula.formula);
    }
    for (const ForwardFormula& forward : op_.derivative->forward) {
      for (const ForwardFormula::Term& term : forward.terms) add(*term.formula);
    }
    // An operator that is run on tangents gets what has none as it is.
    if (forward_way(op_) != ForwardWay::linear) return;
    for (const uint16_t i : op_.tensor_arguments()) {
      const auto inputs = differentiable_inputs(op_);
      if (std::ranges::find(inputs, i, &DifferentiableInput::argument) == inputs.end())
        arguments_.insert(i);
    }
  }

  static const FormulaNode& subject(const FormulaNode& node) {
    const bool part = node.kind == FormulaKind::element || node.kind == FormulaKind::index;
    return part ? subject(node.operand(0)) : node;
  }

  void add(const FormulaNode& node) {
    if (node.kind == FormulaKind::argument &&
        op_.schema.arguments[node.index].type.is_tensor_like())
      arguments_.insert(node.index);
    if (node.kind == FormulaKind::result) results_.insert(node.index);
    const bool asks = node.kind == FormulaKind::property;
    const FormulaKind of = asks ? subject(node.operand(0)).kind : node.kind;
    const bool of_shape = asks && (of == FormulaKind::argument || of == FormulaKind::result);
    for (size_t i = of_shape ? 1 : 0; i < node.operands.size(); ++i) add(node.operand(i));
  }

  const Operator& op_;
  std::set<uint16_t> arguments_, results_;
};

class OperatorPrinter {
 public:
  OperatorPrinter(Printer& p, const JaxLibrary& library, const Operator& op)
      : p_(p), library_(library), op_(op), has_formulas_(!op.imported && op.derivative != nullptr) {
    if (has_formulas_) inputs_ = differentiable_inputs(op);
  }

  void print() {
    switch (jax_way(op_)) {
      case JaxWay::expression:
        print_expression();
        break;
      case JaxWay::composite:
        print_composite();
        break;
      case JaxWay::kernel:
        print_kernel();
        break;
      default:
        return;
    }
    if (has_formulas_) print_formulas();
  }

 private:
  // `tensors=…, differentiable=…`, of every operator.
  std::string common_words() const {
    const Reads reads(op_);
    std::string text = "tensors=" + jax_names(op_, op_.tensor_arguments());
    if (!has_formulas_)
      return text + (op_.differentiability == Differentiability::none && !op_.imported
                         ? ", differentiable=\"no\""
                         : "");
    text += ", keeps=" + reads.keeps();
    if (reads.keeps_results() != "[]") text += ", keeps_results=" + reads.keeps_results();
    return text + ", differentiable=\"formulas\"";
  }

  void print_expression() {
    const auto is_number = [&](uint16_t i) {
      const Type& type = op_.schema.arguments[i].type;
      return !type.is_tensor_like() && type.base != BaseType::string;
    };
    const auto masks = arguments_where(op_, [&](uint16_t i) {
      return op_.schema.arguments[i].type.is_tensor() && op_.element_arguments[i].as_boolean;
    });
    const auto promoting = arguments_where(
        op_, [&](uint16_t i) { return is_number(i) && op_.element_arguments[i].promotes; });
    const auto numbers = arguments_where(op_, is_number);
    std::string more;
    if (!numbers.empty()) more += "numbers=" + jax_names(op_, numbers) + ", ";
    if (!masks.empty()) more += "masks=" + jax_names(op_, masks) + ", ";
    if (!promoting.empty()) more += "promoting=" + jax_names(op_, promoting) + ", ";
    if (op_.promotion.result == ResultRule::boolean) more += "is_test=True, ";
    const DtypeMask dtypes = op_.dtypes.bits & dtypes::kCommon;
    p_.print({{"name", quoted(op_.python_name)},
              {"compute", quoted(compute_name(op_.promotion.compute))},
              {"dtypes", comma_list(dtypes_of(dtypes), quoted)},
              {"more", more},
              {"words", common_words()},
              {"schema", print_schema()},
              {"id", op_.identifier},
              {"parameters", parameters(op_)},
              {"body", [&] { print_jax_expression(p_, op_); }}},
             "\n\n@ow_pointwise($name$, compute=$compute$, dtypes=[$dtypes$],\n"
             "    $more$$words$)\n"
             "def op_$id$(ow_m, $parameters$):\n"
             "    # $schema$\n"
             "    $body$");
  }

  void print_composite() {
    p_.print({{"name", quoted(op_.python_name)},
              {"words", common_words()},
              {"schema", print_schema()},
              {"id", op_.identifier},
              {"parameters", parameters(op_)},
              {"formula", jax_formula(*op_.composite, plain_names())}},
             "\n\n@ow_composite($name$, $words$)\n"
             "def op_$id$($parameters$):\n"
             "    # $schema$\n"
             "    return $formula$");
  }

  std::string batching_words() const {
    if (op_.batching_formula != nullptr)
      return op_.batching == Batching::example ? "\"example\"" : "\"batch\"";
    if (op_.batching == Batching::none) return "\"none\"";
    const std::string_view rule = batch_rule(op_);
    const bool has_list = std::ranges::any_of(
        op_.schema.arguments, [](const Argument& a) { return a.type.is_tensor_list(); });
    if (has_list) return "\"loop\"";
    if (rule == "kLeadingDims") return "\"leading\"";
    if (rule == "kPointwise") return "\"pointwise\"";
    if (rule != "kDims") return "\"loop\"";
    const auto has = [&](Role role) { return op_.find_role(role) >= 0; };
    if (has(Role::new_dim) || has(Role::order) || has(Role::sizes)) return "\"loop\"";
    const auto dims = arguments_where(op_, [&](uint16_t i) {
      return op_.schema.arguments[i].type.base == BaseType::integer &&
             (op_.role(i) == Role::dim || op_.role(i) == Role::dims_or_all);
    });
    return "\"dims\", dims=" + jax_names(op_, dims);
  }

  void print_kernel() {
    const auto dtypes = arguments_where(op_, [&](uint16_t i) {
      return op_.schema.arguments[i].type.base == BaseType::scalar_type;
    });
    std::string more = dtypes.empty() ? "" : "dtypes=" + jax_names(op_, dtypes) + ", ";
    if (op_.schema.returns.size() > 1) more += "several=True, ";
    p_.print({{"name", quoted(op_.python_name)},
              {"target", quoted(library_.package + "." + op_.identifier)},
              {"batching", batching_words()},
              {"more", more},
              {"words", common_words()},
              {"schema", print_schema()},
              {"id", op_.identifier},
              {"parameters", parameters(op_)},
              {"body", [&] { print_jax_rule(p_, op_); }}},
             "\n\n@ow_kernel($name$, target=$target$, batching=$batching$,\n"
             "    $more$$words$)\n"
             "def op_$id$($parameters$):\n"
             "    # $schema$\n"
             "    $body$");
    if (op_.batching_formula == nullptr) return;
    p_.print({{"id", op_.identifier}, {"formula", jax_formula(*op_.batching_formula, names())}},
             "\n\n@op_$id$.batched\n"
             "def _(a):\n"
             "    return $formula$");
  }

  std::string print_schema() const { return codegen::print(op_.schema); }

  void print_formulas() {
    for (const DerivativeFormula& formula : op_.derivative->formulas) print_gradient(formula);
    switch (forward_way(op_)) {
      case ForwardWay::formula:
        for (const ForwardFormula& forward : op_.derivative->forward) print_tangent(forward);
        break;
      case ForwardWay::elementwise:
        p_.print({{"id", op_.identifier}, {"way", turns_around() ? "True" : "False"}},
                 "\n\nop_$id$.elementwise($way$)");
        break;
      case ForwardWay::linear:
        p_.print({{"id", op_.identifier}}, "\n\nop_$id$.linear()");
        break;
      default:
        break;  // two backward passes
    }
  }

  // Whether JAX can transpose its gradients by itself: they call no kernels.
  bool turns_around() const {
    std::vector<const Operator*> calls;
    for (const DerivativeFormula& formula : op_.derivative->formulas) {
      if (formula.formula != nullptr) add_called(*formula.formula, calls);
    }
    return op_.is_expr() && std::ranges::all_of(calls, [](const Operator* op) {
             const JaxWay way = jax_way(*op);
             return way == JaxWay::expression || way == JaxWay::table;
           });
  }

  void print_gradient(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    const auto name = [&](uint16_t i) { return quoted(argument_name(op_, i)); };
    if (formula.kind == DerivativeFormula::Kind::zero) {
      for (const uint16_t i : formula.inputs)
        p_.print({{"id", op_.identifier}, {"inputs", name(i)}},
                 "\n\nop_$id$.gradient($inputs$)(lambda a, g, r: None)");
      return;
    }
    p_.print({{"id", op_.identifier},
              {"inputs", comma_list(formula.inputs, name)},
              {"formula", jax_formula(*formula.formula, names())}},
             "\n\n@op_$id$.gradient($inputs$)\n"
             "def _(a, g, r):\n"
             "    return $formula$");
  }

  void print_tangent(const ForwardFormula& forward) {
    const auto name = [&](uint16_t i) { return quoted(argument_name(op_, i)); };
    for (const ForwardFormula::Term& term : forward.terms)
      p_.print({{"id", op_.identifier},
                {"output", std::to_string(forward.output)},
                {"inputs", comma_list(term.tangents, name)},
                {"formula", jax_formula(*term.formula, names())}},
               "\n\n@op_$id$.tangent($output$, $inputs$)\n"
               "def _(a, t, r):\n"
               "    return $formula$");
  }

  FormulaNames names() const {
    const auto at = [](const char* list) {
      return [list](uint16_t i) { return list + std::string("[") + std::to_string(i) + "]"; };
    };
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return "a." + argument_name(op_, i); };
    names.tangent = [this](uint16_t i) { return "t." + argument_name(op_, i); };
    names.gradient = at("g");
    names.result = at("r");
    return names;
  }

  FormulaNames plain_names() const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return argument_name(op_, i); };
    return names;
  }

  Printer& p_;
  const JaxLibrary& library_;
  const Operator& op_;
  const bool has_formulas_;
  std::vector<DifferentiableInput> inputs_;
};

}  // namespace

std::string print_jax_operators(const JaxLibrary& library) {
  Printer p;
  p.print({{"banner", kPythonBanner}},
          "\"\"\"The operators: what they compute, and how they are differentiated.\"\"\"\n"
          "$banner$\n"
          "# ruff: noqa: E501, F401\n"
          "import jax.numpy as ow_jnp\n"
          "\n"
          "from . import _core as ow_core\n"
          "from . import _rule as ow_rule\n"
          "from ._kernel import kernel as ow_kernel\n"
          "from ._operator import composite as ow_composite\n"
          "from ._pointwise import pointwise as ow_pointwise");
  for (const auto* list : {&library.operators, &library.called}) {
    for (const Operator* op : *list) OperatorPrinter(p, library, *op).print();
  }
  return p.take();
}

}  // namespace opweave::codegen
