// Schemas, and functions that stand for operators.
#include "codegen/emit/torch/face.h"

#include <algorithm>
#include <set>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

std::string torch_type(const Type& type) {
  if (type.is_tensor() && type.optional) return "const std::optional<Tensor>&";
  if (type.list && type.optional && type.base == BaseType::integer)
    return "at::OptionalIntArrayRef";
  return parameter_type(type);
}

bool is_optional_tensor(const Parameter& p) {
  return p.argument->type.is_tensor() && p.argument->type.optional;
}

std::string given_name(const Parameter& p) {
  return (is_optional_tensor(p) ? "ow_given_" : "") + p.name;
}

void print_own(Printer& p, const TorchLibrary& library, const Operator& op) {
  p.print({{"schema", torch_schema(op)},
           {"id", op.name.identifier},
           {"function", torch_signature(op).function_type()},
           {"name", quoted(torch_name(library, op))},
           {"overload", quoted(op.name.overload)}},
          "// $schema$\n"
          "struct $id$ : OwnOperator<$id$, $function$> {\n"
          "  static constexpr const char* kName = $name$;\n"
          "  static constexpr const char* kOverload = $overload$;\n"
          "};");
}

// An operator of PyTorch, and the first that calls it.
struct Called {
  const Operator* op;
  const Operator* by;
};

std::vector<Called> calls_of_pytorch(const TorchLibrary& library) {
  std::vector<Called> called;
  std::set<const Operator*> seen;
  for (const Operator* by : library.operators) {
    UsedOperators used;
    if (by->formulas->composite != nullptr) used.add_calls_of(*by->formulas->composite);
    if (by->formulas->batching != nullptr) used.add_calls_of(*by->formulas->batching);
    for (const FormulaNode* formula : by->lowered->formulas()) used.add_calls_of(*formula);
    for (const Operator* op : used.sorted()) {
      if (op->origin.imported && seen.insert(op).second) called.push_back({op, by});
    }
  }
  return called;
}

// The compiler says of the next line that it is the entry: a PyTorch without an operator that a
// formula calls is told of there.
void print_place(Printer& p, const Operator& op) {
  const Span span =
      op.origin.gradient_of != nullptr ? op.origin.gradient_of->origin.span : op.origin.span;
  if (span.source == nullptr) return;
  const std::string line = std::to_string(span.source->position(span.begin).line);
  p.print({{"line", line}, {"path", quoted(span.source->path())}}, "#line $line$ $path$");
}

}  // namespace

std::string symbolic_property(const FormulaNode& node, const FormulaNames& names) {
  const std::string tensor = formula_expression(node.operand(0), names);
  if (node.property == Property::sizes) return tensor + ".sym_sizes()";
  if (node.property == Property::numel) return tensor + ".sym_numel()";
  if (node.property == Property::size)
    return tensor + ".sym_size(" + formula_expression(node.operand(1), names) + ")";
  return {};
}

Signature torch_signature(const Operator& op) {
  Signature signature = definition_of(op);
  for (Parameter& p : signature.parameters) p.type = torch_type(p.argument->type);
  if (result_count(op) == 0) signature.result = "void";
  return signature;
}

Signature value_signature(const Operator& op) {
  Signature signature = torch_signature(op);
  for (Parameter& p : signature.parameters) {
    if (is_optional_tensor(p)) p.type = "const Tensor&";
  }
  return signature;
}

std::string given_parameters(const Signature& signature) {
  return comma_list(signature.parameters, [](const Parameter& p) {
    return "[[maybe_unused]] " + p.type + " " + given_name(p);
  });
}

std::string given_arguments(const Signature& signature) {
  return comma_list(signature.parameters, given_name);
}

void print_values(Printer& p, const Signature& signature) {
  for (const Parameter& parameter : signature.parameters) {
    if (is_optional_tensor(parameter))
      p.print({{"name", parameter.name}, {"given", given_name(parameter)}},
              "[[maybe_unused]] const Tensor $name$ = undefined_if_none($given$);");
  }
}

bool writes_alone(const Operator& op) {
  return !op.effects.mutated.empty() && returned_arguments(op).size() == op.schema.returns.size();
}

std::vector<uint16_t> returned_arguments(const Operator& op) {
  std::vector<uint16_t> found;
  for (const Return& result : op.schema.returns) {
    const auto is_returned = [&](uint16_t i) {
      return result.type.is_mutated() &&
             op.schema.arguments[i].type.alias->before == result.type.alias->before;
    };
    const auto argument = std::ranges::find_if(op.effects.mutated, is_returned);
    if (argument != op.effects.mutated.end()) found.push_back(*argument);
  }
  return found;
}

size_t result_count(const Operator& op) { return writes_alone(op) ? 0 : op.schema.returns.size(); }

bool batches_are_checked(const Operator& op) {
  return op.formulas->batching != nullptr && op.rule != nullptr && !op.rule->requirements.empty();
}

std::string torch_schema(const Operator& op) {
  if (result_count(op) == op.schema.returns.size()) return print(op.schema);
  Schema schema = op.schema;
  schema.returns.clear();
  schema.returns_parenthesised = true;
  return print(schema);
}

std::string torch_name(const TorchLibrary& library, const Operator& op) {
  return library.options.library + "::" + op.name.base;
}

void print_torch_declarations(Printer& p, const TorchLibrary& library) {
  const std::vector<Called> called = calls_of_pytorch(library);
  std::set<std::string> headers;
  for (const Called& call : called) {
    const std::string header = "ATen/ops/" + call.op->name.base + "_ops.h";
    if (!headers.insert(header).second) continue;
    print_place(p, *call.by);
    p.print({{"header", header}}, "#include <$header$>");
  }
  p.print("\nnamespace opweave::ops {");
  for (const Called& call : called) {
    print_place(p, *call.by);
    p.print({{"id", call.op->name.identifier}}, "using $id$ = AtenOperator<at::_ops::$id$>;");
  }
  if (!called.empty()) {
    const auto lines = std::ranges::count(p.text(), '\n');
    p.print({{"next", std::to_string(lines + 2)}}, "#line $next$ \"library.cpp\"");
  }
  for (const Operator* op : library.operators) print_own(p, library, *op);
  p.print("}  // namespace opweave::ops\n");
}

}  // namespace opweave::codegen
