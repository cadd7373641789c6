// The table that generated tests run from: for each public operator its arguments, sample domains,
// forms and dtypes, and for pointwise ones their expression in NumPy, as an independent reference.
#include <charconv>

#include "codegen/emit/outputs.h"
#include "codegen/emit/python_face.h"

namespace opweave::codegen {
namespace {

std::string python_bool(bool value) { return value ? "True" : "False"; }

std::string python_string(std::string_view text) { return quoted(text); }

std::string number_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  if (text == "inf" || text == "-inf" || text == "nan") return "float(\"" + text + "\")";
  return text;
}

// The expression as calls of the functions of tests/python/generated/reference.py.
std::string reference_expression(const ElementNode& node, const Operator& op) {
  const auto argument = [&] { return op.schema.arguments[node.index].name; };
  switch (node.op) {
    case ElementOp::argument:
      return "a[" + python_string(argument()) + "]";
    case ElementOp::literal:
      return node.type == ElementType::boolean ? python_bool(node.number != 0)
                                               : number_text(node.number);
    case ElementOp::has_value:
      return "(a[" + python_string(argument()) + "] is not None)";
    case ElementOp::string_equals:
      return "(a[" + python_string(argument()) + "] == " + python_string(node.text) + ")";
    default:
      break;
  }
  std::string text = "r." + std::string(element_op_name(node.op)) + "(";
  for (size_t i = 0; i < node.operands.size(); ++i) {
    text += (i ? ", " : "") + reference_expression(node.operand(i), op);
  }
  return text + ")";
}

std::string_view domain_name(Sample::Domain domain) {
  constexpr std::string_view names[] = {"real", "positive", "unit",    "nonzero", "ge1",
                                        "prob", "integer",  "boolean", "values"};
  return names[static_cast<int>(domain)];
}

std::string constant_text(const Constant& c) {
  switch (c.kind) {
    case Constant::Kind::none:
      return "None";
    case Constant::Kind::boolean:
      return python_bool(c.boolean);
    case Constant::Kind::integer:
      return std::to_string(c.integer);
    case Constant::Kind::real:
      return number_text(c.real);
    case Constant::Kind::string:
      return python_string(c.string);
    case Constant::Kind::list: {
      std::string text;
      for (const Constant& item : c.items) text += constant_text(item) + ", ";
      return "[" + text + "]";
    }
    default:
      return python_string(c.string);
  }
}

std::string sample_text(const Operator& op, const std::string& argument) {
  for (const Sample& sample : op.samples) {
    if (sample.argument != argument) continue;
    if (sample.domain != Sample::Domain::values) return python_string(domain_name(sample.domain));
    std::string values;
    for (const Constant& value : sample.values) values += constant_text(value) + ", ";
    return "[" + values + "]";
  }
  return "None";
}

void print_argument(Printer& p, const Operator& op, const Argument& argument) {
  p.print(
      {{"name", python_string(argument.name)},
       {"type", python_string(print(argument.type))},
       {"keyword", python_bool(argument.keyword_only)},
       {"default", argument.default_value ? constant_text(*argument.default_value) : "REQUIRED"},
       {"sample", sample_text(op, argument.name)}},
      "    Argument($name$, $type$, $keyword$, $default$, $sample$),");
}

std::string dtype_list(const Operator& op) {
  std::string text;
  for (int d = 0; d < static_cast<int>(DType::count_); ++d) {
    if (op.dtypes.contains(static_cast<DType>(d))) {
      text += (text.empty() ? "" : ", ") + python_string(dtype_name(static_cast<DType>(d)));
    }
  }
  return "[" + text + "]";
}

bool is_differentiable(const Operator& op) {
  return op.differentiability == Differentiability::formula ||
         op.differentiability == Differentiability::through;
}

void print_operator(Printer& p, const Operator& op) {
  p.print(
      {{"full", python_string(op.full_name)},
       {"name", python_string(op.python_name)},
       {"module", python_string(op.python_module)},
       {"function", python_bool(op.variant_function)},
       {"method", python_bool(op.variant_method)},
       {"inplace", op.inplace != nullptr ? python_string(op.inplace->python_name) : "None"},
       {"out", python_bool(op.out != nullptr)},
       {"view", python_bool(op.is_view())},
       {"differentiable", python_bool(is_differentiable(op))},
       {"int_to_float", python_bool(op.promotion.compute == ComputeRule::int_to_float)},
       {"bool_result", python_bool(op.promotion.result == ResultRule::boolean)},
       {"dtypes", dtype_list(op)},
       {"reference", op.is_expr() ? "lambda r, a: " + reference_expression(*op.expr, op) : "None"}},
      "Operator(\n"
      "    full_name=$full$, name=$name$, module=$module$, function=$function$, method=$method$,\n"
      "    inplace=$inplace$, out=$out$, view=$view$, differentiable=$differentiable$,\n"
      "    int_to_float=$int_to_float$, bool_result=$bool_result$,\n"
      "    dtypes=$dtypes$,\n"
      "    reference=$reference$,\n"
      "    arguments=[");
  {
    Indented in(p);
    for (const Argument& argument : op.schema.arguments) print_argument(p, op, argument);
  }
  p.print("    ]),");
}

}  // namespace

void emit_test_tables(const Model& model, Files& files) {
  Printer p;
  p.print(
      "# Every public operator with its samples, for the generated tests.\n"
      "# Generated from ops.yaml. Do not edit.\n"
      "from operator_table import REQUIRED, Argument, Operator\n"
      "\n"
      "OPERATORS = [");
  for (const Operator* op : model.operators().all()) {
    if (op->imported || op->internal || op->form != Form::functional) continue;
    Indented in(p);
    print_operator(p, *op);
  }
  p.print("]");
  files.push_back({"opweave/tests/operators.py", p.take()});
}

}  // namespace opweave::codegen
